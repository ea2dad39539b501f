package do

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/exceptions"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/settings"
)

// parseProvided parses the setting provided.
func parseProvided(entries []settings.NamedPath) ([]exceptions.Provided, error) {
	var all []exceptions.Provided
	var problems diag.List
	for _, e := range entries {
		p, err := exceptions.ParseProvided(e.Path)
		if err != nil {
			f := diag.Usage("provided: %s: %w", configkit.Abbreviate(e.Path), err)
			f.Pos = e.By
			problems = append(problems, f)
		}
		all = append(all, p)
	}
	return all, problems.Err()
}

// isProvided reports whether the cluster has a resource that the input lacks.
func (l *loop) isProvided(missing string) bool {
	return missing != "" && slices.ContainsFunc(l.provided, func(p exceptions.Provided) bool {
		return p.Has(missing)
	})
}

// missing collects the resources that the input lacks.
type missing struct {
	mu  sync.Mutex
	all []string
}

func (m *missing) add(resource string) {
	if resource == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, resource)
}

// learn prints the entries of the setting provided that the input needs, or adds them to a settings
// file.
func (l *loop) learn() {
	if !l.options.Learn {
		return
	}
	entries := exceptions.Propose(l.missing.all)
	text := []byte("provided: []\n")
	if len(entries) > 0 {
		text = []byte("provided:\n")
	}
	for _, e := range entries {
		text = fmt.Appendf(text, "  - %s\n", e)
	}
	if !l.options.LearnWrites {
		l.write([][]byte{text})
	} else if len(entries) > 0 {
		into := cmp.Or(l.options.Settings.ProjectFile, l.request.inDir(settings.ProjectFile))
		if err := l.addProvided(into, text, entries); err != nil {
			l.fail(diag.List{NotWritten(diag.FileName(into), err)})
		}
	}
}

// addProvided adds entries of the setting provided to a settings file, which may not exist. setting
// is the whole setting, for a file without it.
func (l *loop) addProvided(path string, setting []byte, entries []string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return files.WithoutPath(err)
	}
	docs, _ := gaby.ParseAll(text)
	known := gaby.Value{}
	if len(docs) == 1 {
		known = docs[0].Value().Get("provided")
	}
	switch {
	case !known.Exists():
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		docs, _ = gaby.ParseAll(append(text, setting...))
	case known.Kind() != gaby.List:
		_, err = docs[0].Set([]any{known.Text()}, "provided")
		fallthrough
	default:
		for _, e := range entries {
			err = errors.Join(err, docs[0].ArrayAppendP(e, "provided"))
		}
	}
	if err != nil {
		return err
	}
	if len(docs) != 1 || docs[0].Check() != nil {
		return errors.New("it is not one YAML document with a key per line")
	}
	if err := l.deps.Writes.Write(func() error {
		return files.Write(l.ctx, path, 0o666, docs.Text())
	}); err != nil {
		return err
	}
	l.say(func() {
		l.noteUnlessQuiet("", api.Note{Message: fmt.Sprintf("%s added to %s",
			diag.Count(len(entries), "line"), diag.Printable(diag.FileName(path)))})
	})
	return nil
}
