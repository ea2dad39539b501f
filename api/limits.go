package api

// The limits of a request. They keep the mistakes of programs from becoming endless work and are the API's, except that
// chains and lists of arguments may be longer than the 32 a server stores: people do set forty variables at once.
const (
	MaxInvocations        = 1024 // functions in one chain
	MaxArguments          = 1024 // arguments of one function
	MaxFunctionNameLength = 128
	MaxWhereLength        = 1024 // characters of one where-expression
	MaxErrors             = 1024 // ErrorMessages of a response
	MaxErrorLength        = 1024 // characters of one of them
)
