package bundle

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/source"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// pool reads the objects that were observed.
func (r *runner) pool(ctx context.Context, cmd *cobra.Command, paths []string,
) (*bundle.Pool, error) {
	pool := &bundle.Pool{}
	var problems diag.List
	files := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == kube })
	if slices.Contains(files, "") {
		return nil, diag.Usage("--observed: the name of the file is empty")
	}
	finder := &source.Finder{
		Dir: r.app.Dir, Recursive: true, Toolchain: api.ToolchainKubernetesYAML,
	}
	found, err := finder.Find(ctx, files)
	if err != nil {
		return nil, err
	}
	for _, file := range found.Files {
		if file.Problem != nil {
			problems = append(problems, diag.Failures(file.Problem, api.FailureInput)...)
			continue
		}
		if file.Path == "-" {
			if err := r.app.RejectTerminal(cmd); err != nil {
				return nil, err
			}
		}
		text, err := r.reader.Bytes(ctx, file.Path)
		name := diag.FileName(file.Path)
		skipped := 0
		if err == nil {
			skipped, err = pool.Add(text, name)
		}
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		if skipped > 0 {
			r.notes(api.Note{
				Pos: api.Position{File: name}, Lead: "skipped ", Count: skipped, Of: "document",
				Message: " without apiVersion, kind or metadata.name",
			})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return pool, nil
}

// noResource returns the error for the name of a resource that no Bundle has.
func noResource(flag, name string, known map[smithv1.ResourceName]bool) error {
	names := make([]string, 0, len(known))
	for n := range known {
		names = append(names, string(n))
	}
	slices.Sort(names)
	return diag.UsageHint(configkit.DidYouMean("", configkit.Suggest(name, names)),
		"%sno resource is called %q", flag, name)
}
