// Package linkline reads, writes and edits the lines of links files. A links file has one link in each
// line, sorted by name, so that people who change different links change different lines:
//
//	upgrade-web: web <- base/web UpgradeUnit KeepOwn Merged=HASH
//	web-ns: web <- ns
//
// Layer: systems.
package linkline

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
)

// Form is the form of a line, and Header begins a file.
const (
	Form   = "NAME: DOWNSTREAM <- [SPACE/]UPSTREAM [OPTION...]"
	Header = "# " + Form + "\n"
)

// lineFlags are the options of a link in a line that are truth values.
func lineFlags(l *entity.Link) map[string]*bool {
	return map[string]*bool{
		"UseLiveState": &l.UseLiveState, "OriginOnly": &l.OriginOnly,
		"MergeDisableSubtraction": &l.MergeDisableSubtraction,
	}
}

// Cut cuts a line of a links file in the name of a link, its text and a comment. It reports false for one that has no link.
func Cut(line string) (slug, text, comment string, ok bool) {
	slug, text, ok = strings.Cut(strings.TrimSpace(line), ":")
	if at := strings.Index(text, " #"); at >= 0 {
		text, comment = text[:at], text[at:]
	}
	return slug, strings.TrimSpace(text), comment, ok && slug != "" && slug[0] != '#'
}

// Format returns a link as the line of a links file has it, after the name. keepsOwn says that its
// WhereMutation is that of a clone whose upstream is not known. Format reports false if the definition
// has more than fits there.
func Format(l *entity.Link, keepsOwn bool) (string, bool) {
	d := l.Defined()
	from, to := d.FromUnit, d.ToUnit
	if !entity.IsSlug(from) || !entity.IsSlug(to) {
		return "", false
	}
	if d.ToSpace != "" && d.ToSpace != l.SpaceSlug {
		to = d.ToSpace + "/" + to
	}
	words := []string{from, "<-", to}
	add := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	add(d.UpdateType != "", string(d.UpdateType))
	add(d.AutoUpdate && d.UpdateType != "", "AutoUpdate")
	add(!d.AutoUpdate && d.UpdateType == "", "NoAutoUpdate")
	keeps := keepsOwn || d.WhereMutation == entity.MergedFrom(d.ToUnitID)
	add(keeps, "KeepOwn")
	for _, name := range slices.Sorted(maps.Keys(lineFlags(d))) {
		at := lineFlags(d)[name]
		add(*at, name)
		*at = false
	}
	add(d.LinkID != entity.ID(entity.KindLink, l.SpaceSlug, l.Slug, 0), "LinkID="+d.LinkID)
	add(d.Merged != "", "Merged="+d.Merged)
	if d.DisplayName == l.Slug {
		d.DisplayName = ""
	}
	if keeps {
		d.WhereMutation = ""
	}
	d.LinkID, d.Slug, d.UpdateType, d.AutoUpdate, d.Merged = "", "", "", false, ""
	d.FromUnit, d.FromUnitID, d.ToUnit, d.ToUnitID, d.ToSpace, d.ToSpaceID = "", "", "", "", "", ""
	rest, err := json.Marshal(d)
	nothing, nothingErr := json.Marshal(&entity.Link{})
	return strings.Join(words, " "),
		errors.Join(err, nothingErr) == nil && bytes.Equal(rest, nothing)
}

// Parse reads the text of a line into an empty link of a space. keepsOwn says that its WhereMutation is
// that of a clone, entity.MergedFrom of the upstream.
func Parse(l *entity.Link, text, space string) (keepsOwn bool, problem *entity.Error) {
	words := strings.Fields(text)
	if len(words) < 3 || words[1] != "<-" {
		return false, entity.Fail(entity.CodeParse, "expected %s", Form)
	}
	l.FromUnit, l.ToUnit, l.ToSpace, l.Stated = words[0], words[2], space, true
	if up, unit, ok := strings.Cut(l.ToUnit, "/"); ok {
		l.ToSpace, l.ToUnit = up, unit
	}
	for _, name := range []string{l.FromUnit, l.ToUnit, l.ToSpace} {
		if !entity.IsSlug(name) {
			return false, entity.Fail(entity.CodeSlug, "invalid name %s", strconv.Quote(name))
		}
	}
	automatic := false
	flags := lineFlags(l)
	flags["AutoUpdate"], flags["KeepOwn"], flags["NoAutoUpdate"] = &l.AutoUpdate, &keepsOwn, &automatic
	known := append(slices.Sorted(maps.Keys(flags)), "Merged", "LinkID")
	for _, t := range entity.UpdateTypes() {
		known = append(known, string(t))
	}
	for _, word := range words[3:] {
		name, value, has := strings.Cut(word, "=")
		switch at := flags[name]; {
		case at != nil && !has:
			*at = true
		case name == "Merged" && gitfiles.IsHash(value):
			l.Merged = value
		case name == "LinkID" && has:
			l.LinkID = value
		case l.UpdateType == "" && slices.Contains(entity.UpdateTypes(), entity.UpdateType(word)):
			l.UpdateType = entity.UpdateType(word)
		case name == "Merged" && has:
			return false, entity.Fail(entity.CodeFieldValue, "Merged is not a hash of git").WithHint(
				"'fctl link update --patch LINK --make-current' writes the present one")
		default:
			return false, entity.Fail(entity.CodeUnknownField, "a link has no option %s", strconv.Quote(word)).
				WithHint(configkit.DidYouMean("", configkit.Suggest(word, known)))
		}
	}
	l.AutoUpdate = l.AutoUpdate || l.UpdateType == "" && !automatic
	return keepsOwn, nil
}

// Line is a link in a links file.
type Line struct {
	Name, Text string
	Number     int
}

// Problem is about a line, or several, and the links there, which cannot be read.
type Problem struct {
	*entity.Error
	Links []string
}

// Read returns the links in a file, and what is wrong with other lines.
func Read(text, file string) (lines []Line, problems []Problem) {
	at := map[string]int{} // the numbers of lines
	var names []string     // of the links in the conflict
	n, began := 0, 0
	report := func(line int, e *entity.Error, links ...string) {
		e.Pos.File, e.Pos.Line, e.Pos.Column = file, line, 1
		problems = append(problems, Problem{e, links})
	}
	end := func() {
		slices.Sort(names)
		names = slices.Compact(names)
		report(began, entity.Fail(entity.CodeParse, "lines %d to %d are a git conflict that is not "+
			"resolved, about the links %s", began, n, strings.Join(names, ", ")).
			WithHint("keep one line of each link and delete the markers, or run 'git checkout "+
				"--ours|--theirs "+file+"'; 'fctl ws plan' then lists merges that are missing"), names...)
		names, began = nil, 0
	}
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		name, value, _, ok := Cut(line)
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			began = n
		case began > 0 && strings.HasPrefix(line, ">>>>>>>"):
			end()
		case began > 0 && ok && line[0] != '|':
			names = append(names, name)
		case began > 0 || line == "" || line[0] == '#' || line == "---" || line == "{}":
		case !ok:
			report(n, entity.Fail(entity.CodeParse, "expected %s", Form))
		case !entity.IsSlug(name):
			report(n, entity.Fail(entity.CodeSlug, "invalid name %s", strconv.Quote(name)))
		case at[name] > 0:
			report(n, entity.Fail(entity.CodeRefMismatch, "link %s is also in line %d", name,
				at[name]).WithHint("delete one of the lines"), name)
		default:
			at[name] = n
			lines = append(lines, Line{name, value, n})
		}
	}
	if began > 0 {
		end()
	}
	return lines, problems
}

// Edit returns a links file in which links have other texts; a link with the text "" goes. Other
// lines stay, and a new link comes before the first one with a greater name.
func Edit(text string, changes map[string]string) string {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	if text == "" {
		text = Header
	}
	added := maps.Clone(changes)
	for line := range strings.Lines(text) {
		if slug, _, _, ok := Cut(line); ok {
			delete(added, slug)
		}
	}
	next := slices.Sorted(maps.Keys(added))
	var b, held strings.Builder // held has the comments before a link
	add := func(before string) {
		for len(next) > 0 && (before == "" || next[0] < before) {
			if value := added[next[0]]; value != "" {
				b.WriteString(next[0] + ": " + value + end)
			}
			next = next[1:]
		}
	}
	began, inConflict := false, false
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			line += end
		}
		slug, value, comment, ok := Cut(line)
		if inConflict = inConflict || strings.HasPrefix(line, "<<<<<<< "); inConflict {
			inConflict, ok, began = !strings.HasPrefix(line, ">>>>>>> "), false, true
		}
		if !ok {
			if began {
				held.WriteString(line)
			} else {
				b.WriteString(line)
			}
			continue
		}
		began = true
		add(slug)
		b.WriteString(held.String())
		held.Reset()
		if to, changed := changes[slug]; changed && to != value {
			if line = ""; to != "" {
				line = slug + ": " + to + strings.TrimRight(comment, "\r\n") + end
			}
		}
		b.WriteString(line)
	}
	b.WriteString(held.String())
	add("")
	return b.String()
}
