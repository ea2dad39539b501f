package api

// FunctionType tells how a function is made.
type FunctionType string

// The function types.
const (
	// FunctionTypeCustom is a function with an implementation of its own.
	FunctionTypeCustom FunctionType = "Custom"
	// FunctionTypePathVisitor is a getter or setter of the registered paths of an attribute.
	FunctionTypePathVisitor FunctionType = "PathVisitor"
)

// FunctionTypes are all of them.
func FunctionTypes() []FunctionType {
	return []FunctionType{FunctionTypeCustom, FunctionTypePathVisitor}
}

// FunctionSignature describes a function: everything that help, completion, documentation and argument validation need.
type FunctionSignature struct {
	FunctionName          string
	Parameters            []FunctionParameter
	RequiredParameters    int
	VarArgs               bool // the last parameter may be repeated
	OutputInfo            *FunctionOutput
	Mutating              bool
	Validating            bool
	Hermetic              bool // depends on nothing but its input
	Idempotent            bool // running it on its own result changes nothing
	Description           string
	FunctionType          FunctionType
	AttributeName         AttributeName  `json:",omitempty"`
	AffectedResourceTypes []ResourceType `json:",omitempty"`
	OtherDataExpected     []string       `json:",omitempty"`
	// AliasOf is the name of the function this one is another name of.
	AliasOf string `json:",omitempty"`
	// Deprecated marks a function, or another name of one, that is only there for those who know it.
	Deprecated bool `json:",omitempty"`
	// Examples are the words after FILE and UNIT, as they are typed: "set-replicas 5".
	Examples []string `json:",omitempty"`
}

// FunctionParameter describes a parameter and what its values must satisfy.
type FunctionParameter struct {
	ParameterName string
	Description   string
	Required      bool
	DataType      DataType
	Example       string `json:",omitempty"`
	// Default is the word used for the argument when it is left out; it may begin with template: or cel:.
	Default string `json:",omitempty"`
	// DeprecatedNames are names the parameter had before. Arguments may still use them.
	DeprecatedNames []string `json:",omitempty"`
	ValueConstraints
}

// ValueConstraints limit the values of a parameter.
type ValueConstraints struct {
	Regexp     string   `json:",omitempty"`
	Min        *int     `json:",omitempty"`
	Max        *int     `json:",omitempty"`
	EnumValues []string `json:",omitempty"`
	Schema     string   `json:",omitempty"`
}

// FunctionOutput describes what a function returns beside the configuration data.
type FunctionOutput struct {
	ResultName  string
	Description string
	OutputType  OutputType
	Schema      string `json:",omitempty"`
}

// FunctionArgument is one argument of an invocation.
type FunctionArgument struct {
	ParameterName string `json:",omitempty"`
	Value         any
	// Evaluator names the language Value is an expression of: "", "template" or "cel".
	Evaluator string `json:",omitempty"`
}

// The evaluators of arguments.
const (
	EvaluatorTemplate = "template"
	EvaluatorCEL      = "cel"
)

// FunctionInvocation is a function and its arguments.
type FunctionInvocation struct {
	// Name is what messages and reports call the invocation, to tell it from others. Message is what the findings of a validation
	// say instead of its own text, Severity the score they get: one of Scores. They are for people and do not travel.
	Name     string `json:"-"`
	Message  string `json:"-"`
	Severity string `json:"-"`

	FunctionName  string
	Arguments     []FunctionArgument
	WhereResource string            `json:",omitempty"`
	Params        map[string]string `json:",omitempty"`
}

// FunctionInvocationList is a chain: the functions are run in this order on the same documents.
type FunctionInvocationList []FunctionInvocation
