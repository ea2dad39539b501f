package api

// The limits of a request keep a mistake in a program from causing endless work. They are those of
// ConfigHub's API, except that chains and argument lists may be longer than the 32 a server stores:
// people do set forty variables at once.
const (
	MaxInvocations        = 1024 // functions in one chain
	MaxArguments          = 1024 // arguments of one function
	MaxFunctionNameLength = 128
	MaxWhereLength        = 1024 // characters of one where-expression
	MaxErrors             = 1024 // entries of a response's ErrorMessages
	MaxErrorLength        = 1024 // characters of one error message
)
