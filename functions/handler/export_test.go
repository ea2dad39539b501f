package handler

// What tests call.
var (
	Compare = compare
	Locate  = locate
)
