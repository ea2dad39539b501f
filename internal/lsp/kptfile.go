package lsp

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/strict"
)

// kptfileOffers returns what the functions of the catalogue expect in the pipeline of a Kptfile.
func kptfileOffers(ctx context.Context, path string, s spot) (o offers) {
	segments := s.path()
	if filepath.Base(path) != krm.KptfileName || len(segments) < 4 || segments[0] != "pipeline" {
		return o
	}
	switch {
	case segments[3] == "image" && len(segments) == 4 && !s.key:
		for _, name := range catalog.Names() {
			brief, _ := catalog.Describe(name)
			series := catalog.Series(name)
			if len(series) > 0 {
				name += ":" + series[len(series)-1]
			}
			o.add(process.DefaultPrefix+"/"+name, brief)
		}
	case segments[3] == "configMap" && len(segments) == 5:
		image, err := process.ParseImage(s.doc.Search(segments[:3]...).Value().Get("image").Text())
		if err != nil {
			return o
		}
		var data gaby.Entries
		for _, e := range s.parent.All() {
			data = append(data, gaby.Entry{Key: e.Key(), Value: e.Text()})
		}
		err = catalog.CheckConfig(ctx, image.Base, image.Tag, data)
		if err == nil {
			return o
		}
		for _, f := range diag.Failures(err, api.FailureFunction) {
			if c, ok := errors.AsType[*strict.Choice](f.Err); ok && c.Keys == s.key {
				return offersOf(c)
			}
		}
	}
	return o
}
