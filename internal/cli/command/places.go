package command

import (
	"context"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/places"
	"github.com/fctl-dev/fctl/internal/source"
)

// Places parses the values of a flag that names places in resources. file:FILE names a file of them.
func Places(
	ctx context.Context, reader *source.Reader, dir, flag string, words []string,
) (all []places.Place, err error) {
	for _, word := range words {
		name, isFile := strings.CutPrefix(word, "file:")
		if !isFile {
			place, err := places.Parse(word)
			if err != nil {
				return nil, diag.UsageHint(places.Hint, "--%s %s: %w", flag, diag.Printable(word), err)
			}
			all = append(all, place)
			continue
		}
		file := source.InDirectory(dir, name)
		text, err := reader.Bytes(ctx, file)
		if err != nil {
			return nil, err
		}
		list, err := places.Read(diag.FileName(file), text)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}
