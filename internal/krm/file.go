package krm

// File is a file that items were read from.
type File struct{}
