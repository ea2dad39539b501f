package report

import "github.com/fctl-dev/fctl/functions/handler"

// renderData prints the configuration. A unit with a failed function has none.
func renderData(_ Terminal, r Result) (Rendered, error) {
	text := configuration(r.Response)
	return Rendered{
		text: text, document: text != nil,
		result: Result{File: r.File, Toolchain: r.Toolchain},
	}, nil
}

func configuration(r *handler.Result) Chunks {
	if !r.Success {
		return nil
	}
	return r.Pieces()
}
