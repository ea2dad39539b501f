package resolve_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// world is a workspace in memory: units with all their revisions, and links.
type world struct {
	t           testing.TB
	executor    *functions.Executor
	units       map[string]*unit // by slug
	links       map[string]*entity.Link
	invocations map[string]*entity.Invocation
}

// unit is a unit with its history.
type unit struct {
	resolve.HeadUnit
	revisions [][]byte // by number
	live      [][]byte
}

func newWorld(t testing.TB) *world {
	return &world{
		t: t, executor: functions.NewStandardExecutor(), units: map[string]*unit{},
		links: map[string]*entity.Link{}, invocations: map[string]*entity.Invocation{},
	}
}

// unit creates a unit in the space prod. Without a toolchain it is Kubernetes/YAML.
func (w *world) unit(slug, data string, toolchain ...api.ToolchainType) *unit {
	u := &unit{revisions: [][]byte{nil}, live: [][]byte{nil}}
	u.HeadUnit.Unit = &entity.Unit{UnitID: "id-" + slug, ToolchainType: api.ToolchainKubernetesYAML}
	u.Slug, u.SpaceSlug, u.SpaceID = slug, "prod", "id-prod"
	u.Space = &entity.Space{SpaceID: "id-prod"}
	u.Space.Slug = "prod"
	if len(toolchain) > 0 {
		u.ToolchainType = toolchain[0]
	}
	w.units[slug] = u
	if data != "" {
		w.edit(slug, data)
	}
	return u
}

// edit stores new data as a user does.
func (w *world) edit(slug, data string) {
	w.t.Helper()
	u := w.units[slug]
	sources, _, err := resolve.Accumulate(
		w.executor, u.ToolchainType, u.Sources, u.Data, []byte(data), u.HeadMutationNum+1, false,
	)
	if err != nil {
		w.t.Fatal(err)
	}
	u.store([]byte(data), sources, []entity.Mutation{{
		MutationNum: u.HeadMutationNum + 1, RevisionNum: u.HeadRevisionNum + 1,
	}})
}

// replace edits a unit by replacing texts, which must occur.
func (w *world) replace(slug string, pairs ...string) {
	w.t.Helper()
	text := string(w.units[slug].Data)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			w.t.Fatalf("%q is not in\n%s", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	w.edit(slug, text)
}

func (u *unit) store(data []byte, sources api.ResourceMutationList, mutations []entity.Mutation) {
	u.Data, u.Sources = data, sources
	u.Mutations = append(u.Mutations, mutations...)
	u.HeadMutationNum += int64(len(mutations))
	u.HeadRevisionNum++
	u.DataHash = api.DataHash(data)
	u.revisions = append(u.revisions, data)
}

// capture records a live state.
func (w *world) capture(slug, data string) {
	u := w.units[slug]
	u.live = append(u.live, []byte(data))
	u.HeadUnitActionNum++
}

// clone creates a unit from another one, with its upgrade link.
func (w *world) clone(slug, from string) *unit {
	up := w.units[from]
	u := w.unit(slug, "", up.ToolchainType)
	sources, _, err := resolve.Accumulate(
		w.executor, u.ToolchainType, nil, nil, up.Data, 1, false,
	)
	if err != nil {
		w.t.Fatal(err)
	}
	zero, head := int64(0), up.HeadRevisionNum
	u.store(up.Data, sources, []entity.Mutation{{
		MutationNum: 1, RevisionNum: 1, MergeSourceID: up.UnitID, MergeBaseRevisionNum: &zero,
		MergeEndRevisionNum: &head, UpgradedFromUpstreamRevisionNum: &head,
	}})
	l := w.link("upgrade-"+slug, slug, from, entity.UpdateUpgradeUnit)
	l.WhereMutation = "MergeSourceID = '" + up.UnitID + "'"
	l.UpstreamLastMergedRevisionNum, l.DownstreamLastMergedRevisionNum = head, 1
	return u
}

// link creates a link.
func (w *world) link(slug, from, to string, t entity.UpdateType) *entity.Link {
	l := &entity.Link{
		LinkID: "id-" + slug, FromUnit: from, FromUnitID: "id-" + from, ToUnit: to,
		ToUnitID: "id-" + to, UpdateType: t, Hash: "hash-" + slug,
	}
	l.Slug, l.SpaceSlug = slug, "prod"
	w.links[slug] = l
	return l
}

// input returns the input of a resolve of links of a unit; without slugs of all.
func (w *world) input(slug string, links ...string) *resolve.Input {
	in := &resolve.Input{
		Downstream: w.units[slug].HeadUnit, Upstreams: map[string]*resolve.Upstream{},
		Invocations: w.invocations, Executor: w.executor,
		Names: func(id string) string { return "prod/" + strings.TrimPrefix(id, "id-") },
		MutationMatches: func(where string, u *entity.Unit, m *entity.Mutation) (bool, error) {
			f, err := filter.Parse(where, filter.Mutation)
			if err != nil {
				return false, err
			}
			return f.MatchAttributes(filter.OfMutation(m, filter.MutationContext{Unit: u})), nil
		},
	}
	for _, name := range slices.Sorted(maps.Keys(w.links)) {
		l := w.links[name]
		switch {
		case l.FromUnit != slug:
			continue
		case len(links) == 0 || slices.Contains(links, name):
			in.Links = append(in.Links, l)
		default:
			in.Others = append(in.Others, l)
		}
		if up := w.units[l.ToUnit]; up != nil {
			upstream := up.upstream()
			for _, slug := range slices.Sorted(maps.Keys(w.links)) {
				if of := w.links[slug]; of.FromUnit == l.ToUnit {
					upstream.Links = append(upstream.Links, of)
				}
			}
			in.Upstreams[l.ToUnitID] = upstream
		}
	}
	return in
}

func (u *unit) upstream() *resolve.Upstream {
	return &resolve.Upstream{
		HeadUnit: u.HeadUnit, Live: u.live[len(u.live)-1],
		At: func(num int64, live bool) ([]byte, error) {
			list := u.revisions
			if live {
				list = u.live
			}
			if num >= int64(len(list)) {
				return nil, &entity.Error{Code: entity.CodeRevisionMissing, Message: "it is gone"}
			}
			return list[num], nil
		},
	}
}

// try resolves links of a unit and stores the result.
func (w *world) try(slug string, options resolve.Options, links ...string) (*resolve.Outcome, error) {
	in := w.input(slug, links...)
	in.Options = options
	out, err := resolve.Resolve(context.Background(), in)
	if err != nil {
		return nil, err
	}
	w.apply(slug, out)
	return out, nil
}

func (w *world) apply(slug string, out *resolve.Outcome) {
	u := w.units[slug]
	if out.Changed {
		u.store(out.Data, out.Sources, out.Mutations)
	}
	u.SelfBindings, u.Conflicts = out.SelfBindings, out.Conflicts
	for _, l := range out.Links {
		w.links[l.Slug] = l
	}
	if up := out.Upstream; up != nil {
		u.UpstreamUnitID, u.UpstreamSpaceID, u.UpstreamRevisionNum = up.UnitID, up.SpaceID,
			up.RevisionNum
	}
}

// resolve resolves links of a unit, which must succeed, and checks that doing it again changes
// nothing.
func (w *world) resolve(slug string, links ...string) *resolve.Outcome {
	w.t.Helper()
	out, err := w.try(slug, resolve.Options{}, links...)
	if err != nil {
		w.t.Fatal(err)
	}
	again, err := resolve.Resolve(context.Background(), w.input(slug, links...))
	if err != nil {
		w.t.Fatal(err)
	}
	if again.Changed || len(again.Mutations) > 0 {
		w.t.Errorf("a second resolve changes\n%s\nto\n%s", out.Data, again.Data)
	}
	for _, l := range again.Links {
		if was := w.links[l.Slug]; was.LinkRecord.UpstreamLastMergedRevisionNum !=
			l.UpstreamLastMergedRevisionNum || was.DownstreamLastMergedRevisionNum !=
			l.DownstreamLastMergedRevisionNum {
			w.t.Errorf("a second resolve moves the pointers of %s", l.Slug)
		}
	}
	return out
}

// fails resolves links of a unit, which must fail with a code and change nothing.
func (w *world) fails(code entity.Code, slug string, links ...string) {
	w.t.Helper()
	before := string(w.units[slug].Data)
	_, err := w.try(slug, resolve.Options{}, links...)
	problems, ok := err.(entity.Errors)
	if !ok || !slices.ContainsFunc(problems, func(e *entity.Error) bool {
		return e.Code == code
	}) {
		w.t.Errorf("%v, want %s", err, code)
	}
	if string(w.units[slug].Data) != before {
		w.t.Error("a failed resolve changes the unit")
	}
}

// has checks the data of a unit.
func (w *world) has(slug, want string) {
	w.t.Helper()
	if got := string(w.units[slug].Data); got != want {
		w.t.Errorf("%s is\n%s\nwant\n%s", slug, got, want)
	}
}

// pointers returns the pointers of a link as "upstream/downstream".
func (w *world) pointers(slug string) string {
	l := w.links[slug]
	return fmt.Sprintf(
		"%d/%d", l.UpstreamLastMergedRevisionNum, l.DownstreamLastMergedRevisionNum,
	)
}

// conflictLines returns conflicts as reason and path.
func conflictLines(list api.MutationConflictList) []string {
	lines := []string{}
	for _, c := range list {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf(
			"%s %s %s", c.Reason, c.Resource.ResourceNameWithoutScope, mutation.PlainPath(c.Path),
		)))
	}
	slices.Sort(lines)
	return lines
}

// warningCodes returns the codes of warnings.
func warningCodes(list []entity.Warning) []entity.Code {
	codes := []entity.Code{}
	for _, w := range list {
		codes = append(codes, w.Code)
	}
	return codes
}

// replaceOnce replaces the first occurrence of each text.
func replaceOnce(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			panic(pairs[i] + " is not in " + text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// graph returns the world as explain, infer and doctor see it.
func (w *world) graph() *resolve.Inspector {
	g := &resolve.Inspector{
		Executor: w.executor,
		Read: func(id string) (*resolve.Upstream, error) {
			u := w.units[strings.TrimPrefix(id, "id-")]
			if u == nil {
				return nil, &entity.Error{Code: entity.CodeUnitNotFound, Message: "no unit " + id}
			}
			return u.upstream(), nil
		},
		Revision: func(string, int64) *entity.Revision {
			return &entity.Revision{Description: "a change"}
		},
		Input: func(l *entity.Link, options resolve.Options) (*resolve.Input, error) {
			in := w.input(strings.TrimPrefix(l.FromUnitID, "id-"), l.Slug)
			in.Options = options
			return in, nil
		},
		Names: func(id string) string { return "prod/" + strings.TrimPrefix(id, "id-") },
	}
	for _, slug := range slices.Sorted(maps.Keys(w.units)) {
		g.Units = append(g.Units, w.units[slug].HeadUnit.Unit)
	}
	for _, slug := range slices.Sorted(maps.Keys(w.links)) {
		g.Links = append(g.Links, w.links[slug])
	}
	return g
}

// lastLine returns the last line of a text without its indentation.
func lastLine(text string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	return strings.TrimLeft(lines[len(lines)-1], " ") + "\n"
}
