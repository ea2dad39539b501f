package entity

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/where"
)

// Code identifies a kind of error (E_...) or warning (W_...). Codes are part of the contract;
// the texts of messages are not.
type Code string

// The codes of rejected input.
const (
	CodeUnknownField       Code = "E_UNKNOWN_FIELD"
	CodeFieldType          Code = "E_FIELD_TYPE" // a list where a text is expected, for example
	CodeFieldValue         Code = "E_FIELD_VALUE"
	CodeRefMismatch        Code = "E_REF_MISMATCH"
	CodeSlug               Code = "E_SLUG"
	CodeSlugTaken          Code = "E_SLUG_TAKEN"
	CodeToolchainImmutable Code = "E_TOOLCHAIN_IMMUTABLE"
	CodeLinkSpace          Code = "E_LINK_SPACE"
	CodeLinkSelf           Code = "E_LINK_SELF"
	CodeLinkCycle          Code = "E_LINK_CYCLE"
	CodeUpdateType         Code = "E_UPDATE_TYPE"
	CodeNoneAutoUpdate     Code = "E_NONE_AUTOUPDATE"
	CodeFieldNotAllowed    Code = "E_FIELD_NOT_ALLOWED"
	CodeUpgradeDup         Code = "E_UPGRADE_DUP"
	CodeToolchain          Code = "E_TOOLCHAIN"
	CodeEmptyTransform     Code = "E_EMPTY_TRANSFORM"
	CodeBindingsForbidden  Code = "E_BINDINGS_FORBIDDEN"
	CodeBindingCount       Code = "E_BINDING_COUNT"
	CodeBindingInvalid     Code = "E_BINDING_INVALID"
	CodeBindingDup         Code = "E_BINDING_DUP"
	CodeDataType           Code = "E_DATATYPE"
	CodeEvaluator          Code = "E_EVALUATOR"
	CodeExprParse          Code = "E_EXPR_PARSE"
	CodeParamUnknown       Code = "E_PARAM_UNKNOWN"
	CodeParamNarrow        Code = "E_PARAM_NARROW"
	CodeNameInvalid        Code = "E_NAME_INVALID"
	CodeNameDup            Code = "E_NAME_DUP"
	CodeFunctionUnknown    Code = "E_FUNCTION_UNKNOWN"
	CodeFunctionKind       Code = "E_FUNCTION_KIND"
	CodeWorkerFunction     Code = "E_WORKER_FUNCTION"
	CodeTransformToolchain Code = "E_TRANSFORM_TOOLCHAIN"
	CodeTransformMutating  Code = "E_TRANSFORM_MUTATING"
	CodeTransformOutput    Code = "E_TRANSFORM_OUTPUT"
	CodeWhereParse         Code = "E_WHERE_PARSE"
	CodeWhereAttr          Code = "E_WHERE_ATTR"
	CodeResolveNone        Code = "E_RESOLVE_NONE"
	CodeNotFrom            Code = "E_NOT_FROM"
	CodeUnitNotFound       Code = "E_UNIT_NOT_FOUND"
	CodeNotFound           Code = "E_NOT_FOUND" // an entity other than a unit
)

// The codes of failed operations.
const (
	CodeStaleVersion        Code = "E_STALE_VERSION"
	CodeDeleteGate          Code = "E_DELETE_GATE"
	CodeHasLinks            Code = "E_HAS_LINKS"
	CodeLocked              Code = "E_LOCKED"
	CodeUncommitted         Code = "E_UNCOMMITTED"
	CodeParse               Code = "E_PARSE"
	CodeNoUpstream          Code = "E_NO_UPSTREAM"
	CodeNoValue             Code = "E_NO_VALUE"
	CodeUpstreamPlaceholder Code = "E_UPSTREAM_PLACEHOLDER"
	CodeAmbiguous           Code = "E_AMBIGUOUS"
	CodeResourceNotFound    Code = "E_RESOURCE_NOT_FOUND"
	CodePathNotFound        Code = "E_PATH_NOT_FOUND"
	CodePathType            Code = "E_PATH_TYPE"
	CodePathDottedKey       Code = "E_PATH_DOTTED_KEY"
	CodeExprEval            Code = "E_EXPR_EVAL"
	CodeCoerce              Code = "E_COERCE"
	CodeFunctionFailed      Code = "E_FUNCTION_FAILED"
	CodeRevisionMissing     Code = "E_REVISION_MISSING"
	CodeNoLiveState         Code = "E_NO_LIVE_STATE"
	CodeDupResource         Code = "E_DUP_RESOURCE"
	CodeState               Code = "E_STATE" // a file below .fctl that fctl did not write like this
)

// The codes of warnings.
const (
	WarnDupLink           Code = "W_DUP_LINK"
	WarnDoubleWrite       Code = "W_DOUBLE_WRITE"
	WarnUnmatched         Code = "W_UNMATCHED"
	WarnAmbiguous         Code = "W_AMBIGUOUS"
	WarnOverridden        Code = "W_OVERRIDDEN"
	WarnDangling          Code = "W_DANGLING"
	WarnCreatedPath       Code = "W_CREATED_PATH"
	WarnUnusedParam       Code = "W_UNUSED_PARAM"
	WarnUnstableContext   Code = "W_UNSTABLE_CONTEXT"
	WarnNamespaceMismatch Code = "W_NAMESPACE_MISMATCH"
	WarnOutdatedMAC       Code = "W_OUTDATED_MAC"
	WarnLayout            Code = "W_LAYOUT"
	WarnWhereBothSides    Code = "W_WHERE_BOTH_SIDES"
)

// operational reports whether the code is that of a failed operation, not of rejected input.
func (c Code) operational() bool {
	switch c {
	case CodeStaleVersion, CodeDeleteGate, CodeHasLinks, CodeLocked, CodeUncommitted,
		CodeNoUpstream, CodeNoValue, CodeUpstreamPlaceholder, CodeAmbiguous, CodeResourceNotFound,
		CodePathNotFound, CodePathType, CodePathDottedKey, CodeExprEval, CodeCoerce,
		CodeFunctionFailed, CodeRevisionMissing, CodeNoLiveState, CodeDupResource:
		return true
	}
	return false
}

// WhereCode returns the code of an error about a filter of resources.
func WhereCode(err *where.Error) Code {
	if err.UnknownField {
		return CodeWhereAttr
	}
	return CodeWhereParse
}

// Class returns the failure class of an error with the code.
func (c Code) Class() api.FailureClass {
	switch {
	case c == CodeParse, c == CodeState:
		return api.FailureInput
	case c.operational():
		return api.FailureFunction
	}
	return api.FailureUsage
}

// Error is a problem with a workspace or an operation on it.
type Error struct {
	Code    Code
	Pos     api.Position
	Message string
	Hint    string
	// What it is about, as far as known.
	Space, Unit, Link string
	Resource          string // type and name
	Path              string
	// Class overrides the class of the code if it is not 0.
	Class api.FailureClass
	Err   error
}

// FieldError is a problem with a field of a definition, such as DownstreamPaths[0].Expression.
type FieldError struct {
	Field string
	*Error
}

// Fail returns a problem. What %w wraps is its cause.
func Fail(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Fail returns a problem with the unit.
func (u *Unit) Fail(code Code, format string, args ...any) *Error {
	e := Fail(code, format, args...)
	e.Space, e.Unit = u.SpaceSlug, u.Slug
	return e
}

// Fail returns a problem with the link.
func (l *Link) Fail(code Code, format string, args ...any) *Error {
	e := Fail(code, format, args...)
	e.Space, e.Link = l.SpaceSlug, l.Slug
	return e
}

// WithHint sets the hint of the problem.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// WithClass sets the class of the problem.
func (e *Error) WithClass(class api.FailureClass) *Error {
	e.Class = class
	return e
}

// ProblemsIn returns the problems in an error. One that has no code gets the given one.
func ProblemsIn(err error, code Code) Errors {
	if all, ok := errors.AsType[Errors](err); ok {
		return all
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return Errors{e}
	}
	return Errors{Fail(code, "%w", err)}
}

// Error returns position, code and message.
func (e *Error) Error() string {
	if at := e.Pos.String(); at != "" {
		return at + ": " + e.text()
	}
	return e.text()
}

func (e *Error) text() string {
	if e.Code == "" { // of the file system, for example
		return e.Message
	}
	return string(e.Code) + ": " + e.Message
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// As gives errors.AsType the problem as an api.Failure, which is what fctl prints.
func (e *Error) As(target any) bool {
	f, ok := target.(**api.Failure)
	if ok {
		*f = e.Failure()
	}
	return ok
}

// Failure returns the problem as fctl prints it: the code is for programs, which find it in JSON.
func (e *Error) Failure() *api.Failure {
	class := e.Class
	if class == 0 {
		class = e.Code.Class()
	}
	return &api.Failure{
		Class: class, Pos: e.Pos, Message: e.Message, Hint: e.Hint, Path: e.Path, Err: e.Err,
	}
}

// Errors are several problems reported together.
type Errors []*Error

// Error returns the problems, one per line.
func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.AsType every problem.
func (l Errors) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Err returns the list as an error, nil if it is empty.
func (l Errors) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}
