package lsp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
		for _, f := range checkConfigMap(ctx, s.doc.Search(segments[:3]...).Value(), s.parent) {
			if c, ok := errors.AsType[*strict.Choice](f.Err); ok && c.Keys == s.key {
				return offersOf(c)
			}
		}
	}
	return o
}

// checkConfigMap returns the problems of the data of a function in a pipeline. It checks functions of
// the catalogue only, without starlark, whose program may need resources.
func checkConfigMap(ctx context.Context, function, configMap gaby.Value) diag.List {
	image, err := process.ParseImage(function.Get("image").Text())
	known := slices.Contains([]string{"", process.DefaultPrefix, "gcr.io/kpt-fn"}, image.Repository)
	if err != nil || !known || image.Digest != "" || image.Base == "starlark" {
		return nil
	}
	var data gaby.Entries
	for _, e := range configMap.All() {
		data = append(data, gaby.Entry{Key: e.Key(), Value: e.Text()})
	}
	if err = catalog.CheckConfig(ctx, image.Base, image.Tag, data); err == nil {
		return nil
	}
	return diag.Failures(err, api.FailureFunction)
}

// checkPipeline returns the problems of the data of the functions of a Kptfile, and the missing files
// of configPath.
func (p *project) checkPipeline(ctx context.Context, path string) (problems []problem) {
	doc, err := gaby.ParseYAML(p.buffers[path])
	if err != nil || doc.Check() != nil {
		return nil
	}
	ctx, end := p.begin(ctx)
	defer end()
	add := func(at gaby.Position, message string) {
		problems = append(problems, problem{
			at:       api.Position{Line: at.Line, Column: at.Column},
			severity: severityError, message: message,
		})
	}
	pipeline := doc.Value().Get("pipeline")
	for _, list := range []string{"mutators", "validators"} {
		for _, f := range pipeline.Get(list).All() {
			if configMap := f.Get("configMap"); configMap.Kind() == gaby.Map {
				for _, failure := range checkConfigMap(ctx, f, configMap) {
					add(configMap.KeyPosition(), strings.TrimPrefix(failure.Message, "functionConfig: "))
				}
			}
			config := f.Get("configPath")
			local := filepath.FromSlash(config.Text())
			if config.Kind() != gaby.Scalar || !filepath.IsLocal(local) {
				continue // that it leads out of the package is said already
			}
			file := filepath.Join(filepath.Dir(path), local)
			if _, open := p.buffers[file]; open {
				continue
			}
			if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
				add(config.Position(), "the package has no file "+config.Text()+", which configPath names")
			}
		}
	}
	return problems
}
