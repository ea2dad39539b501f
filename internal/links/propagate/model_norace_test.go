//go:build !race

package propagate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// world is a workspace on disk and what a model knows about it: the data of each revision of each
// unit that is not deleted.
type world struct {
	dir      string
	executor *functions.Executor
	history  map[string][]string // by unit: its data, from revision 1 on
}

// errKilled is what a killed process leaves to its caller in this test.
var errKilled = errors.New("killed")

// change runs a transaction, which may be killed.
func (w *world) change(
	t *rapid.T, do func(s *workspace.Store, ws *workspace.Workspace, r *propagate.Propagator) error,
) (killed bool) {
	kill, steps := 0, 0
	if rapid.IntRange(0, 3).Draw(t, "kill") == 0 {
		kill = rapid.IntRange(1, 30).Draw(t, "at write")
	}
	s, err := workspace.Open(context.Background(), w.dir, workspace.OpenOptions{
		Write: true, Sequential: true, ManyFiles: rapid.IntRange(0, 1).Draw(t, "batches"),
		Step: func(string) {
			if steps++; steps == kill {
				panic(errKilled)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Now = func() time.Time { return time.Unix(0, 0).UTC() }
	func() {
		defer func() {
			r := recover()
			if r != nil && r != any(errKilled) {
				panic(r)
			}
			killed = r != nil
		}()
		ws, err := s.Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(ws.Problems) > 0 {
			t.Fatal(ws.Problems)
		}
		tx := s.Begin("step")
		r := &propagate.Propagator{Workspace: ws, Tx: tx, Functions: always(w.executor)}
		if err := do(s, ws, r); err != nil {
			tx.Drop()
			return
		}
		if err := errors.Join(tx.WriteBases(ws), tx.Commit(context.Background())); err != nil {
			t.Fatal(err)
		}
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return killed
}

// look opens the workspace for writing, which takes back what a killed process wrote.
func (w *world) look(t *rapid.T) (*workspace.Store, *workspace.Workspace) {
	s, err := workspace.Open(context.Background(), w.dir, workspace.OpenOptions{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	ws, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s, ws
}

// check compares the workspace with the model, and checks the invariants.
func (w *world) check(t *rapid.T) {
	s, ws := w.look(t)
	defer s.Close() //nolint:errcheck // only read
	if errs := ws.Validate(); len(errs) > 0 {
		t.Fatal(errs)
	}
	seen := map[string]bool{}
	for _, u := range ws.Units {
		name := u.Name()
		seen[name] = true
		known := w.history[name]
		if int(u.HeadRevisionNum) < len(known) {
			t.Fatalf("%s lost revisions: %d of %d", name, u.HeadRevisionNum, len(known))
		}
		for n := int64(1); n <= u.HeadRevisionNum; n++ {
			data, err := s.Data(u, n)
			if err != nil {
				t.Fatal(err)
			}
			if int(n) <= len(known) && known[n-1] != string(data) {
				t.Fatalf("%s: revision %d changed:\n%s\n%s", name, n, known[n-1], data)
			}
			if int(n) > len(known) {
				w.history[name] = append(w.history[name], string(data))
				before, err := s.Data(u, n-1)
				if err != nil {
					t.Fatal(err)
				}
				w.replay(t, before, data)
			}
		}
		mutations, err := s.Mutations(u)
		if err != nil || int64(len(mutations)) != u.HeadMutationNum {
			t.Fatal(name, err, len(mutations), u.HeadMutationNum)
		}
		for i, m := range mutations {
			if m.MutationNum != int64(i+1) || m.RevisionNum > u.HeadRevisionNum {
				t.Fatalf("%s: mutation %+v", name, m)
			}
		}
		w.checkSources(t, s, u, mutations)
	}
	for name := range w.history {
		if !seen[name] {
			delete(w.history, name)
		}
	}
}

// replay checks that the mutations between two revisions, applied to the first, give the second.
func (w *world) replay(t *rapid.T, before, after []byte) {
	kubernetes := api.ToolchainKubernetesYAML
	change, err := resolve.Diff(w.executor, kubernetes, before, after, 1)
	if err != nil {
		return // links do not work on an edit that cannot be parsed
	}
	docs := w.documents(t, before)
	docs, conflicts, err := mutation.Patch(docs, nil, change, nil,
		w.executor.ResourceProvider(kubernetes))
	if err != nil || len(conflicts) > 0 {
		t.Fatalf("replaying: %v %v\n%s\n%s", err, conflicts, before, after)
	}
	if diff := cmp.Diff(values(w.documents(t, after)), values(docs)); diff != "" {
		t.Fatalf("replaying the mutations: %s\n%s\n%s", diff, before, after)
	}
}

// values returns the values of documents by resource.
func values(docs gaby.Container) map[string]any {
	all := map[string]any{}
	for _, doc := range docs {
		v := doc.Value()
		all[v.Get("kind").Text()+" "+v.Get("metadata").Get("name").Text()] = v.Data()
	}
	return all
}

func (w *world) documents(t *rapid.T, data []byte) gaby.Container {
	converter, err := w.executor.Converter(api.ToolchainKubernetesYAML)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := converter.NativeToDocuments(data)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// checkClone removes what git ignores with History: bases, and checks that the heads, the links and
// the merge bases are still known.
func (w *world) checkClone(t *rapid.T) {
	s, ws := w.look(t)
	recorded := s.Config.History == workspace.HistoryBases
	known := map[string]string{}
	for _, u := range ws.Units {
		known[u.Name()] = fmt.Sprint(u.HeadRevisionNum, u.HeadMutationNum, u.DataHash)
	}
	for _, l := range ws.Links {
		known[l.Name()] = fmt.Sprint(l.UpstreamLastMergedRevisionNum, l.ResolvedHash, l.Bindings)
	}
	_ = s.Close()
	if !recorded {
		return
	}
	state := filepath.Join(w.dir, ".fctl/state")
	if err := os.Rename(state, state+".ignored"); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	s, ws = w.look(t)
	for _, u := range ws.Units {
		if got := fmt.Sprint(u.HeadRevisionNum, u.HeadMutationNum, u.DataHash); got !=
			known[u.Name()] {
			t.Fatalf("a clone has %s %s, not %s", u.Name(), got, known[u.Name()])
		}
		if _, err := s.Data(u, u.HeadRevisionNum); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range ws.Links {
		got := fmt.Sprint(l.UpstreamLastMergedRevisionNum, l.ResolvedHash, l.Bindings)
		if got != known[l.Name()] {
			t.Fatalf("a clone has %s %s, not %s", l.Name(), got, known[l.Name()])
		}
		if l.Merges() && l.To != nil {
			if _, err := s.Data(l.To, l.UpstreamLastMergedRevisionNum); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = s.Close()
	_ = os.RemoveAll(state)
	if err := os.Rename(state+".ignored", state); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// checkSources checks that the sources of a unit name existing mutations.
func (w *world) checkSources(
	t *rapid.T, s *workspace.Store, u *workspace.Unit, mutations []entity.Mutation,
) {
	sources, err := s.Sources(u, u.HeadRevisionNum)
	if err != nil {
		t.Fatal(err)
	}
	number := func(i int) {
		if i < 1 || i > len(mutations) {
			t.Fatalf("%s: the sources name the mutation %d of %d", u.Name(), i, len(mutations))
		}
	}
	for _, m := range sources {
		if m.ResourceMutationInfo.MutationType == api.MutationTypeAdd {
			number(m.ResourceMutationInfo.Index)
		}
		for _, info := range m.PathMutationMap {
			number(info.Index)
		}
	}
}

// config is random data of a unit.
func config(t *rapid.T) string {
	var docs []string
	if rapid.Bool().Draw(t, "namespace") {
		docs = append(docs, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata:\n"+
			"  name: ns%d\n",
			rapid.IntRange(0, 2).Draw(t, "ns")))
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "resources") {
		namespace := rapid.SampledFrom([]string{"confighubplaceholder", "here"}).Draw(t, "in")
		text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap # %d\nmetadata:\n  name: c%d\n"+
			"  namespace: %s\ndata:\n", i, i, namespace)
		for key := range rapid.IntRange(1, 3).Draw(t, "keys") {
			text += fmt.Sprintf("  k%d: \"%d\"\n", key, rapid.IntRange(0, 3).Draw(t, "value"))
		}
		docs = append(docs, text)
	}
	return strings.Join(docs, "---\n")
}

var actions = []string{
	"create", "create", "edit", "edit", "link", "link", "clone", "resolve",
	"delete", "undo",
}

func (w *world) step(t *rapid.T) {
	s, ws := w.look(t)
	var names []string
	for _, u := range ws.Units {
		names = append(names, u.Slug)
	}
	_ = s.Close()
	pick := func(what string) string { return rapid.SampledFrom(names).Draw(t, what) }
	action := rapid.SampledFrom(actions).Draw(t, "action")
	if len(names) == 0 {
		action = "create"
	}
	switch action {
	case "create":
		slug := fmt.Sprintf("u%d", rapid.IntRange(0, 5).Draw(t, "unit"))
		data := config(t)
		w.change(t, func(s *workspace.Store, ws *workspace.Workspace, r *propagate.Propagator) error {
			u := &workspace.Unit{Unit: &entity.Unit{
				Common:        entity.Common{Slug: slug, SpaceSlug: "s"},
				ToolchainType: api.ToolchainKubernetesYAML,
			}}
			if err := r.Tx.Create(ws, u); err != nil {
				return err
			}
			_, err := r.Tx.Record(r, u, []byte(data), entity.SourceCreateUnit, "", entity.Mutation{},
				false)
			return errors.Join(err, w.follow(r))
		})
	case "edit":
		name := filepath.Join(w.dir, "spaces/s/units", pick("unit")+".yaml")
		if err := os.WriteFile(name, []byte(config(t)), 0o666); err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "recorded") {
			w.change(t, func(_ *workspace.Store, ws *workspace.Workspace, r *propagate.Propagator) error {
				_, err := r.Tx.Edits(r, ws.Units, false)
				return errors.Join(err, w.follow(r))
			})
		}
	case "link":
		from, to := pick("from"), pick("to")
		if from == to { // most draws are small
			to = names[len(names)-1]
		}
		kind := rapid.SampledFrom([]entity.UpdateType{
			entity.UpdateNeedsProvides, entity.UpdateMergeUnits, entity.UpdateNone,
			entity.UpdateUpsert, entity.UpdateInsert, entity.UpdateTransformPaths,
		}).Draw(t, "type")
		auto := kind != entity.UpdateNone && rapid.Bool().Draw(t, "auto")
		w.change(t, func(_ *workspace.Store, ws *workspace.Workspace, r *propagate.Propagator) error {
			l := &workspace.Link{Link: &entity.Link{
				Stated:   true,
				Common:   entity.Common{Slug: from + "-" + to + "-" + string(kind), SpaceSlug: "s"},
				FromUnit: from, ToUnit: to, UpdateType: kind, AutoUpdate: auto,
			}}
			switch kind {
			case entity.UpdateInsert:
				l.Bindings = []entity.Binding{{
					NeededResource: &api.ResourceInfo{
						ResourceType: "v1/ConfigMap", ResourceName: "c0",
						ResourceNameWithoutScope: "c0",
					}, NeededPath: "data.text",
				}}
			case entity.UpdateTransformPaths:
				l.UpstreamPaths = []entity.NamedPath{{
					Name: "v", Path: "data.k0", Resource: entity.ResourceReference{
						ResourceType: "v1/ConfigMap", ResourceName: "c0",
					},
				}}
				l.DownstreamPaths = []entity.PathExpression{{
					Path: "data.copied", Expression: "{{.Params.v}} of {{.UnitSlug}}",
					Parameters: []string{"v"}, Resource: entity.ResourceReference{
						ResourceType: "v1/ConfigMap", ResourceName: "c0",
					},
				}}
			}
			errs := ws.ResolveLink(l)
			errs = append(errs, ws.ValidateLink(l)...)
			errs = append(errs, ws.LinkCycle(l)...)
			if err := errs.Err(); err != nil {
				return err
			}
			return r.Tx.Create(ws, l)
		})
	case "clone":
		from := pick("from")
		w.change(t, func(_ *workspace.Store, ws *workspace.Workspace, r *propagate.Propagator) error {
			return w.clone(ws, r, from)
		})
	case "resolve":
		w.resolve(t)
	case "delete":
		name := pick("unit")
		w.change(t, func(_ *workspace.Store, ws *workspace.Workspace, r *propagate.Propagator) error {
			u, err := ws.Unit("s", name)
			if err != nil {
				return err
			}
			return r.Tx.DeleteUnits(ws, true, u)
		})
		w.forget(t)
	case "undo":
		s, err := workspace.Open(context.Background(), w.dir, workspace.OpenOptions{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Undo(context.Background(), false)
		if err = errors.Join(s.Close(), ignoreEdited(err)); err != nil {
			t.Fatal(err)
		}
		w.forget(t)
	}
}

// ignoreEdited drops the error of an undo that an edit prevents.
func ignoreEdited(err error) error {
	if e, ok := errors.AsType[*entity.Error](err); ok && e.Code == entity.CodeUncommitted {
		return nil
	}
	return err
}

// forget lets the model take the history from disk: revisions were taken back.
func (w *world) forget(*rapid.T) { w.history = map[string][]string{} }

func (w *world) clone(ws *workspace.Workspace, r *propagate.Propagator, from string) error {
	up, err := ws.Unit("s", from)
	if err != nil {
		return err
	}
	if _, err := r.Tx.Edits(r, []*workspace.Unit{up}, false); err != nil {
		return err
	}
	u := &workspace.Unit{Unit: &entity.Unit{
		Common:        entity.Common{Slug: from + "x", SpaceSlug: "s"},
		ToolchainType: api.ToolchainKubernetesYAML,
	}}
	if err := r.Tx.Create(ws, u); err != nil {
		return err
	}
	data, err := ws.Store.Data(up, up.HeadRevisionNum)
	if err != nil {
		return err
	}
	base, end := int64(0), up.HeadRevisionNum
	if _, err := r.Tx.Record(r, u, data, entity.SourceCloneUnit, "", entity.Mutation{
		MergeSourceID: up.UnitID, MergeBaseRevisionNum: &base, MergeEndRevisionNum: &end,
	}, false); err != nil {
		return err
	}
	l := &workspace.Link{Link: &entity.Link{
		Stated:   true,
		Common:   entity.Common{Slug: "upgrade-" + u.Slug, SpaceSlug: "s"},
		FromUnit: u.Slug, ToUnit: up.Slug, UpdateType: entity.UpdateUpgradeUnit,
		WhereMutation: "MergeSourceID = '" + up.UnitID + "'",
	}}
	l.UpstreamLastMergedRevisionNum, l.MadeCurrent = end, true
	if err := ws.ResolveLink(l).Err(); err != nil {
		return err
	}
	return r.Tx.Create(ws, l)
}

// follow resolves automatic links downstream of what was revised.
func (w *world) follow(r *propagate.Propagator) error {
	change := propagate.ChangedUnits{Revised: map[*workspace.Unit]bool{}}
	for _, u := range r.Tx.Revised {
		change.Revised[u] = true
	}
	_, err := r.Run(context.Background(), change, propagate.Wave{Propagate: true})
	return err
}

// resolve resolves all links: first as a plan, then for real. Both must agree, and afterwards
// nothing may be left to do.
func (w *world) resolve(t *rapid.T) {
	every := propagate.Wave{Links: func(*workspace.Link) bool { return true }, Propagate: true}
	run := func(r *propagate.Propagator, ws *workspace.Workspace) []string {
		_, err := r.Tx.Edits(r, ws.Units, false)
		if err != nil {
			t.Fatal(err)
		}
		r.Options = resolve.Options{}
		results, err := r.Run(context.Background(), propagate.ChangedUnits{}, every)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, result := range results {
			if result.Err != nil {
				texts = append(texts, result.Unit.Name()+" "+result.Err.Error())
				continue
			}
			text, err := json.Marshal(result.Output.Result)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text)+string(result.Output.Data))
		}
		return texts
	}
	before := w.files(t)
	s, ws := w.look(t)
	planned := run(&propagate.Propagator{Workspace: ws, Tx: s.Begin(""), Functions: always(w.executor)}, ws)
	_ = s.Close()
	if diff := cmp.Diff(before, w.files(t)); diff != "" {
		t.Fatalf("planning wrote: %s", diff)
	}
	var did []string
	killed := w.change(t, func(_ *workspace.Store, ws *workspace.Workspace, r *propagate.Propagator) error {
		did = run(r, ws)
		return nil
	})
	if diff := cmp.Diff(planned, did); diff != "" {
		t.Fatalf("the plan and what was done: %s", diff)
	}
	s, ws = w.look(t)
	defer s.Close() //nolint:errcheck // only read
	r := &propagate.Propagator{Workspace: ws, Tx: s.Begin(""), Functions: always(w.executor)}
	if _, err := r.Tx.Edits(r, ws.Units, false); err != nil {
		t.Fatal(err)
	}
	results, err := r.Run(context.Background(), propagate.ChangedUnits{}, every)
	if err != nil || slices.ContainsFunc(results, func(r propagate.UnitResult) bool {
		return r.Err != nil || len(r.Output.Failed) > 0
	}) {
		return
	}
	if !killed && !r.Tx.Empty() {
		t.Fatalf("resolving again changed something: %v", describe(results))
	}
}

func describe(results []propagate.UnitResult) string {
	var b strings.Builder
	for _, r := range results {
		if r.Output != nil {
			text, _ := json.Marshal(r.Output.Result)
			fmt.Fprintf(&b, "%s: %s\n%s\n", r.Unit.Name(), text, r.Output.Data)
		}
	}
	return b.String()
}

// files returns the content of the workspace.
func (w *world) files(t *rapid.T) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestModel runs random commands, some of them killed, and compares the workspace with a model.
func TestModel(t *testing.T) {
	executor := functions.NewStandardExecutor()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "wave") //nolint:usetesting // one directory per check, not per test
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // temporary
		if _, err := workspace.Init(context.Background(), dir,
			workspace.InitOptions{
				Space: "s", History: rapid.SampledFrom([]string{
					workspace.HistoryIgnored, workspace.HistoryBases, workspace.HistoryGit,
				}).Draw(t, "history"),
			}); err != nil {
			t.Fatal(err)
		}
		w := &world{dir: dir, executor: executor, history: map[string][]string{}}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			w.step(t)
			w.check(t)
		}
		w.checkClone(t)
	})
}
