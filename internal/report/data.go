package report

import "github.com/fctl-dev/fctl/functions/handler"

// renderData prints the configuration.
func renderData(_ Screen, r Result) (Payload, error) { return configuration(r.Response), nil }

func pieceOfData(_ Screen, r Result) (Piece, error) {
	text := configuration(r.Response)
	return Piece{
		text: text, document: text != nil,
		result: Result{File: r.File, Toolchain: r.Toolchain},
	}, nil
}

func configuration(r *handler.Result) Payload {
	if !r.Success {
		return nil
	}
	return configurationParts(r)
}

func configurationParts(r *handler.Result) Payload {
	if r.Parts != nil {
		return r.Parts
	}
	return Payload{r.ConfigData}
}
