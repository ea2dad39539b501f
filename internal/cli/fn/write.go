package fn

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/out/diff"
)

// writeFlags are the flags that decide whether and how changes are written to files.
type writeFlags struct {
	dryRun, diff, check, fsync, showSecrets bool
}

func (o *writeFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.dryRun, "dry-run", false, "write nothing, and report how much would change")
	flags.BoolVar(&o.diff, "diff", false,
		"write nothing, and print what would change as a unified diff")
	flags.BoolVar(&o.check, "check", false,
		"write nothing, print the files that would change, and end with status 1 if there are any")
	flags.BoolVar(&o.fsync, "fsync", false, "sync written files to disk before ending")
	command.AddShowSecrets(flags, &o.showSecrets)
}

// exclusive returns an error for flags that exclude each other.
func (o *writeFlags) exclusive() error {
	var used []string
	for _, f := range []struct {
		name string
		on   bool
	}{{"--dry-run", o.dryRun}, {"--diff", o.diff}, {"--check", o.check}, {"--fsync", o.fsync}} {
		if f.on {
			used = append(used, f.name)
		}
	}
	if len(used) > 1 && !(len(used) == 2 && o.diff && o.check) {
		return diag.Usage("%s and %s exclude each other", used[0], used[1])
	}
	return nil
}

// apply writes the changes of a package, or shows them.
func (r *runner) apply(ctx context.Context, p *krm.Package, changes []*krm.ChangedFile,
	o *writeFlags,
) error {
	switch {
	case o.diff:
		if err := r.diff(p, changes, o.showSecrets); err != nil {
			return err
		}
	case o.check:
		var b strings.Builder
		for _, c := range changes {
			b.WriteString(c.Name(p) + "\n")
		}
		if err := r.app.WriteText(b.String()); err != nil {
			return err
		}
	case o.dryRun:
		r.note("", summaryOf(changes, "would be "))
	default:
		if err := r.writePackage(ctx, p, changes, o.fsync); err != nil {
			return err
		}
		r.note("", summaryOf(changes, ""))
	}
	if o.check && len(changes) > 0 {
		return diag.ExitError(diag.ExitNo)
	}
	return nil
}

// summaryOf counts changes.
func summaryOf(changes []*krm.ChangedFile, would string) string {
	changed, made, deleted, resources := 0, 0, 0, 0
	for _, c := range changes {
		switch {
		case c.IsNew():
			made++
		case c.IsDeleted():
			deleted++
		default:
			changed++
		}
		resources += c.Deletes
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{changed, "changed"}, {made, "created"}, {deleted, "deleted"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s%s", diag.Count(part.n, "file"), would,
				part.what))
		}
	}
	if len(parts) == 0 {
		return "nothing changed"
	}
	if resources > 0 {
		parts = append(parts, fmt.Sprintf("%s %sremoved", diag.Count(resources, "resource"), would))
	}
	return strings.Join(parts, ", ")
}

// diff prints the changes as a unified diff. Secret values are masked where people read it.
func (r *runner) diff(p *krm.Package, changes []*krm.ChangedFile, showSecrets bool) error {
	style := do.DiffStyle(r.app.Streams)
	isRead := r.app.Streams.OutIsTerminal() || style.Old != nil
	var out []byte
	for _, c := range changes {
		f := diff.FileDiff{
			Name: strings.TrimLeft(strings.TrimPrefix(c.Name(p), "./"), "/"), Before: c.Before,
			After: bytes.Join(c.After, nil), Style: style,
		}
		if !showSecrets && isRead {
			f.Shown = r.shown
		}
		out = append(out, withoutFile(diff.Unified(f), c)...)
	}
	if isRead {
		return r.app.WriteText(string(out))
	}
	return r.app.Write(out)
}

// withoutFile names /dev/null in a plain diff for the side on which there is not a file.
func withoutFile(text []byte, c *krm.ChangedFile) []byte {
	prefix := ""
	switch {
	case c.IsNew():
		prefix = "--- "
	case c.IsDeleted():
		prefix = "+++ "
	default:
		return text
	}
	var out []byte
	for line := range bytes.Lines(text) {
		if prefix != "" && bytes.HasPrefix(line, []byte(prefix)) {
			line, prefix = []byte(prefix+"/dev/null\n"), ""
		}
		out = append(out, line...)
	}
	return out
}

// shown returns the two texts of a file with secret values masked.
func (r *runner) shown(before, after []byte) ([]byte, []byte) {
	if secrets := r.secrets(); secrets != nil {
		v := secrets.Change(before, after)
		before, after = v.Text(sensitive.Before), v.Text(sensitive.After)
	}
	return []byte(r.app.Masked(string(before))), []byte(r.app.Masked(string(after)))
}
