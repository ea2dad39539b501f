package api

// FunctionType says how a function is implemented.
type FunctionType string

// The function types.
const (
	// FunctionTypeCustom is a function with an implementation of its own.
	FunctionTypeCustom FunctionType = "Custom"
	// FunctionTypePathVisitor is a getter or setter of the registered paths of an attribute.
	FunctionTypePathVisitor FunctionType = "PathVisitor"
)

// FunctionTypes returns all function types.
func FunctionTypes() []FunctionType {
	return []FunctionType{FunctionTypeCustom, FunctionTypePathVisitor}
}

// FunctionSignature describes a function: everything that help, completion, documentation and
// argument validation need.
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
	// AliasOf is the name of the function if FunctionName is an alias of it.
	AliasOf string `json:",omitempty"`
	// Deprecated marks a function, or an alias of one, that is only kept for those who know it.
	Deprecated bool `json:",omitempty"`
	// Examples are the words after FILE and UNIT as one types them, such as "set-replicas 5".
	Examples []string `json:",omitempty"`
}

// FunctionParameter describes a parameter and what its values must satisfy.
type FunctionParameter struct {
	ParameterName string
	Description   string
	Required      bool
	DataType      DataType
	Example       string `json:",omitempty"`
	// Default is the word used if the argument is omitted. It may begin with template: or cel:.
	Default string `json:",omitempty"`
	// DeprecatedNames are former names of the parameter. Arguments may still use them.
	DeprecatedNames []string `json:",omitempty"`
	ValueConstraints
	// Any reports that * means all values that a completion offers. It is not serialized.
	Any bool `json:"-"`
}

// ValueConstraints limit the values of a parameter.
type ValueConstraints struct {
	Regexp     string   `json:",omitempty"`
	Min        *int     `json:",omitempty"`
	Max        *int     `json:",omitempty"`
	EnumValues []string `json:",omitempty"`
	Schema     string   `json:",omitempty"`
}

// FunctionOutput describes what a function returns besides the configuration data.
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
	// Evaluator is the language of the expression in Value: "template" or "cel". It is "" if Value
	// is not an expression.
	Evaluator string `json:",omitempty"`
}

// The evaluators of arguments.
const (
	EvaluatorTemplate = "template"
	EvaluatorCEL      = "cel"
)

// FunctionInvocation is a function and its arguments.
type FunctionInvocation struct {
	// Name distinguishes the invocation from others in messages and reports. Message replaces the
	// text of a validation's findings, and Severity is the score they get, one of Scores. They are
	// for people and are not serialized.
	Name     string `json:"-"`
	Message  string `json:"-"`
	Severity string `json:"-"`

	FunctionName  string
	Arguments     []FunctionArgument
	WhereResource string            `json:",omitempty"`
	Params        map[string]string `json:",omitempty"`
}

// FunctionInvocationList is a chain: its functions run in this order on the same documents.
type FunctionInvocationList []FunctionInvocation
