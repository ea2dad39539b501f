package yamlpath

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Locate is [LocateAt] for an error of which only the resource is known; info may be nil.
func Locate(err error, info *api.ResourceInfo) error {
	return LocateAt(err, info, "", api.Position{})
}

// LocateAt converts an error to an *api.Failure with the resource, path and position at which it
// occurred, each of which may be missing. The path and position of an error of this package or of
// gaby take precedence. An error that is a Failure already only gets a missing resource.
func LocateAt(err error, info *api.ResourceInfo, path api.ResolvedPath, pos api.Position) error {
	if f, ok := errors.AsType[*api.Failure](err); ok {
		if f.Resource == "" && info != nil {
			located := *f
			located.Resource = info.String()
			return &located
		}
		return err
	}
	f := &api.Failure{
		Class: api.FailureFunction, Message: err.Error(), Path: string(path),
		Pos: pos, Err: err,
	}
	if info != nil {
		f.Resource = info.String()
	}
	if e, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		f.Class, f.Pos, f.Message, f.Hint = api.FailureInput, e.Pos, e.Msg, e.Hint
	}
	if e, ok := errors.AsType[*gaby.EditError](err); ok {
		f.Message, f.Hint = e.Msg, e.Hint
		if e.Path != "" {
			f.Path = e.Path
		}
		if f.Path != "" {
			f.Message = "path " + f.Path + ": " + e.Msg
		}
		if e.Pos.Line > 0 {
			f.Pos = e.Pos
		}
	}
	if e, ok := errors.AsType[*NotAMapError](err); ok {
		f.Pos, f.Path, f.Hint = e.Value.Position(), string(Join(e.Segments)), e.Hint
	}
	if e, ok := errors.AsType[*KeyWithDotsError](err); ok {
		f.Pos, f.Path = e.Value.KeyPosition(), string(Join(e.Segments))
		f.Hint = writtenAs(e.Segments[len(e.Segments)-1])
	}
	return f
}
