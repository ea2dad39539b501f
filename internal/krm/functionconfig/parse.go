package functionconfig

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/process"
)

// Parse reads the FunctionConfigs of a text of YAML or JSON documents, and of lists of them. file
// is the name of the text in positions. The problems are in the order of the text; a Config is
// returned for every object without errors. A document that is something else is an error.
func Parse(text []byte, file string) ([]*Config, []Problem) {
	configs, _, problems := parseAll(text, file, false, names{})
	return configs, problems
}

// ParseObject returns the part of an object of a cluster. key names it in place of positions, which
// the text of an API server does not have.
func ParseObject(text []byte, key string) Part {
	p := Part{Name: key}
	p.Configs, p.broken, p.Problems = parseAll(text, key, false, names{})
	for i := range p.Problems {
		p.Problems[i].Pos = api.Position{File: key}
	}
	for _, c := range p.Configs {
		c.Pos, c.ImagePos = api.Position{File: key}, api.Position{File: key}
	}
	return p
}

// ParseMixed is Parse for a text whose documents of other kinds are skipped.
func ParseMixed(text []byte, file string) ([]*Config, []Problem) {
	configs, _, problems := parseAll(text, file, true, names{})
	return configs, problems
}

// names are the configs of the texts that are read together, by namespace and name.
type names map[[2]string]*Config

// parseAll also returns the configs that have errors, of which only the image counts. It adds the
// configs to seen.
func parseAll(text []byte, file string, mixed bool, seen names,
) (configs, broken []*Config, _ []Problem) {
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return nil, nil, []Problem{located(file, "", err)}
	}
	var problems []Problem
	objects := 0
	for _, doc := range docs {
		if err := doc.Check(); err != nil {
			problems = append(problems, located(file, "", err))
			objects++
			continue
		}
		if doc.IsNull() || mixed && !isOurs(doc) {
			continue
		}
		objects++
		config, found := parseObject(doc, file)
		if config != nil && config.Name != "" {
			id := [2]string{config.Namespace, config.Name}
			if first := seen[id]; first != nil {
				found = append(found, sameName(doc, config, first))
			} else {
				seen[id] = config
			}
		}
		problems = append(problems, found...)
		switch {
		case config == nil:
		case len(Errors(found)) > 0:
			broken = append(broken, config)
		default:
			configs = append(configs, config)
		}
	}
	if objects == 0 && !mixed {
		d := &decoder{file: file}
		_ = d.add(gaby.Position{Line: 1, Column: 1}, "", "the text has no FunctionConfig")
		problems = append(problems, d.problems...)
	}
	return configs, broken, problems
}

// sameName returns the problem that two objects are one for a cluster.
func sameName(doc *gaby.YamlDoc, c, first *Config) Problem {
	p := Problem{
		Pos: c.Pos, Object: Kind + "/" + c.Name, Field: "metadata.name",
		Message: fmt.Sprintf("another FunctionConfig has the name %s, at %s; a cluster keeps the "+
			"last one only", c.Name, first.Pos),
	}
	at := doc.Value().Get("metadata").Get("name").Position()
	p.Pos.Line, p.Pos.Column = at.Line, at.Column
	return p
}

// isOurs reports whether a document is, or is meant to be, a FunctionConfig of Porch.
func isOurs(doc *gaby.YamlDoc) bool {
	version := doc.Value().Get("apiVersion").Text()
	return doc.Value().Get("kind").EqualText(Kind) &&
		(version == Group || strings.HasPrefix(version, Group+"/"))
}

// Decode reads one document, which must be a FunctionConfig. file is the name of its file in
// positions. The Config is nil if it has errors.
func Decode(doc *gaby.YamlDoc, file string) (*Config, []Problem) {
	config, problems := parseObject(doc, file)
	if len(Errors(problems)) > 0 {
		return nil, problems
	}
	return config, problems
}

// parseObject reads one object. The Config is nil if it is of another kind or version.
func parseObject(doc *gaby.YamlDoc, file string) (*Config, []Problem) {
	d := &decoder{file: file}
	root := field{doc.Value(), "", doc.Position()}
	if root.Kind() != gaby.Map {
		_ = d.fail(root, "a FunctionConfig is expected, not %s", shape(root.Value))
		return nil, d.problems
	}
	name := root.get("metadata").get("name")
	if name.Kind() == gaby.Scalar && name.isSet() {
		d.object = Kind + "/" + name.Text()
	}
	if kind := root.get("kind"); !kind.EqualText(Kind) {
		_ = d.refuse(kind, "%s is expected, not %s", Kind, shape(kind.Value))
		return nil, d.problems
	}
	if version := root.get("apiVersion"); !version.EqualText(APIVersion) {
		_ = d.refuse(version, "%s is expected, not %s", APIVersion, shape(version.Value))
		return nil, d.problems
	}
	d.repeated(root.Value, "")
	d.keys(root, "apiVersion", "kind", "metadata", "spec", "status")
	c := &Config{Pos: root.pos()}
	c.Pos.File = file
	d.metadata(root.get("metadata"), c)
	d.keys(root.get("status"))
	d.spec(root.get("spec"), c)
	slices.SortStableFunc(d.problems, func(a, b Problem) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return c, d.problems
}

// metadata reads what identifies the object. Other fields of metadata belong to the API server.
func (d *decoder) metadata(f field, c *Config) {
	if !f.isSet() {
		_ = d.refuse(f, "the object has no metadata")
		return
	}
	if !d.keys(f) {
		return
	}
	name := f.get("name")
	if text, ok := d.text(name); ok {
		if !isSubdomain(text) {
			_ = d.refuse(name, "%q is not a name: lower-case letters, digits, \".\" and \"-\" "+
				"are allowed",
				text)
		}
		c.Name = text
	} else if !name.isSet() {
		_ = d.refuse(name, "the object has no name")
	}
	c.Namespace, _ = d.text(f.get("namespace"))
	if uid, ok := f.get("uid").Data().(string); ok {
		c.UID = uid
	}
	if n, ok := f.get("generation").Data().(int); ok {
		c.Generation = int64(n)
	}
}

// sectionNames are the two names of each section: that of the proposal and that of Porch.
func sectionNames() [][2]string {
	return [][2]string{
		{"goExecutorConfig", "goExecutor"},
		{"binaryExecutorConfig", "binaryExecutor"},
		{"podExecutorConfig", "podExecutor"},
	}
}

func (d *decoder) spec(f field, c *Config) {
	known := []string{"image", "prefixes"}
	for _, names := range sectionNames() {
		known = append(known, names[0], names[1])
	}
	if !f.isSet() {
		_ = d.refuse(f, "the object has no spec")
		return
	}
	if !d.keys(f, known...) {
		return
	}
	d.image(f.get("image"), c)
	d.prefixes(f.get("prefixes"), c)
	sections, others := make([]field, 3), make([]field, 3)
	any := false
	for i, names := range sectionNames() {
		sections[i], others[i] = d.either(f.get(names[0]), f.get(names[1]))
		any = any || sections[i].isSet()
	}
	if !any {
		_ = d.refuse(field{path: f.path, missingAt: f.get("image").missingAt},
			"it has no goExecutor, binaryExecutor or podExecutor, so it says nothing")
	}
	c.Go = d.goSection(sections[0], c.Image)
	c.Binary = d.binarySection(sections[1])
	c.Pod = d.podSection(sections[2])
	// Only the problems of the other spellings count.
	_ = d.goSection(others[0], c.Image)
	_ = d.binarySection(others[1])
	_ = d.podSection(others[2])
}

// either returns the one of two spellings of a field that is used, and the other one.
func (d *decoder) either(proposed, today field) (used, other field) {
	if proposed.isSet() && today.isSet() {
		second, first := today, proposed
		if before(second.Value, first.Value) {
			second, first = first, second
		}
		_ = d.add(second.KeyPosition(), second.path, "it is another name of %s; use one of them",
			first.path)
	}
	if today.isSet() && !proposed.isSet() {
		return today, proposed
	}
	return proposed, today
}

func before(a, b gaby.Value) bool {
	p, q := a.KeyPosition(), b.KeyPosition()
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

func (d *decoder) image(f field, c *Config) {
	c.ImagePos = f.pos()
	c.ImagePos.File = d.file
	text, ok := d.text(f)
	switch {
	case !ok && !f.isSet():
		_ = d.refuse(f, "it is missing; the base name of an image is expected")
	case !ok:
	case text == "":
		_ = d.refuse(f, "it is empty; the base name of an image is expected")
	case strings.ContainsAny(text, "/:@"):
		p := d.fail(f, "%q is more than the base name of an image", text)
		if image, err := process.ParseImage(text); err == nil {
			p.Hint = fmt.Sprintf("image: %s; a repository belongs to prefixes, a tag to tags",
				image.Base)
		}
	case !process.IsImageBase(text):
		_ = d.fail(f, "%q is not the base name of an image", text)
	default:
		d.short(f, text, maxImage)
	}
	c.Image = text
}

func (d *decoder) prefixes(f field, c *Config) {
	d.few(f, maxPrefixes)
	d.list(f, func(e field) {
		text, ok := d.text(e)
		if !ok {
			if e.IsNull() {
				_ = d.refuse(e, "a string is expected, not null")
			}
			return
		}
		d.short(e, text, maxText)
		prefix := strings.TrimSuffix(text, "/")
		if prefix == "" && text != "" {
			_ = d.fail(e, "%q is not a repository", text)
			return
		}
		if prefix != "" {
			if err := process.CheckRepository(prefix); err != nil {
				_ = d.fail(e, "%q is not a repository: %w", text, err)
				return
			}
		}
		if !slices.Contains(c.Prefixes, prefix) {
			c.Prefixes = append(c.Prefixes, prefix)
		}
	})
	if len(c.Prefixes) == 0 {
		c.Prefixes = []string{""}
	}
}

// tags reads a list of tags. A list of a program or a Go function has at least one element.
func (d *decoder) tags(f field, pod bool) []Tag {
	var tags []Tag
	seen := map[string]bool{}
	d.few(f, maxTags)
	isList := d.list(f, func(e field) {
		text, ok := d.text(e)
		d.short(e, text, maxText)
		if !ok {
			if e.IsNull() {
				_ = d.refuse(e, "a string is expected, not null")
			}
			return
		}
		if seen[text] {
			d.warn(e, "the tag %q is in the list twice", text)
			return
		}
		seen[text] = true
		if pod && text == "" {
			tags = append(tags, Tag{every: true})
			return
		}
		tag, err := ParseTag(text)
		if err != nil {
			d.add(e.pos(), e.path, "%s", err.Error()).Err = err
			return
		}
		if pod && text == "latest" {
			tag.every = true
		}
		tags = append(tags, tag)
	})
	if !pod && (!f.isSet() || isList && f.Len() == 0) {
		d.refuse(f, "at least one tag is expected").Hint = `tags: ["*"] is every tag`
	}
	return tags
}

func (d *decoder) goSection(f field, image string) *Go {
	if !d.keys(f, "tags", "id") {
		return nil
	}
	g := &Go{Tags: d.tags(f.get("tags"), false), ID: image}
	id := f.get("id")
	if text, ok := d.text(id); ok {
		if g.ID = text; text == "" {
			_ = d.fail(id, "it is empty; leave it out for the name of the image")
		}
	}
	return g
}

func (d *decoder) binarySection(f field) *Binary {
	known := []string{"tags", "relPath", "absPath", "path"}
	if !d.keys(f, known...) {
		return nil
	}
	b := &Binary{Tags: d.tags(f.get("tags"), false)}
	var set []field
	for _, key := range known[1:] {
		if p := f.get(key); p.isSet() {
			set = append(set, p)
		}
	}
	if len(set) == 0 {
		p := d.refuse(f.get("path"), "the path of the program is missing")
		p.Field, p.Hint = f.path,
			"relPath: is below the directory of --functions, absPath: is absolute"
		return b
	}
	for i, p := range set {
		if i > 0 {
			_ = d.add(p.KeyPosition(), p.path, "only one of %s may be set, and %s is set",
				strings.Join(known[1:], ", "), path.Base(strings.ReplaceAll(set[0].path, ".", "/")))
		}
		text, ok := d.text(p)
		if !ok {
			continue
		}
		d.short(p, text, maxPath)
		switch key := p.Key(); {
		case text == "":
			_ = d.refuse(p, "it is empty")
		case strings.ContainsRune(text, 0):
			_ = d.fail(p, "it has a NUL byte")
		case key == "absPath" && !path.IsAbs(text):
			problem := d.fail(p, "%q is not absolute", text)
			problem.Hint = "relPath: is below the directory of --functions"
		case key == "relPath" && path.IsAbs(text):
			d.fail(p, "%q is absolute", text).Hint = "absPath: is for absolute paths"
		case path.IsAbs(text):
			b.AbsPath = path.Clean(text)
		case !filepath.IsLocal(filepath.FromSlash(text)):
			_ = d.fail(p, "%q leaves the directory of functions", text)
		case path.Clean(text) == ".":
			_ = d.fail(p, "%q is the directory of functions itself", text)
		default:
			b.RelPath = path.Clean(text)
		}
	}
	return b
}

// duration reads a Go duration. 0 is as good as none: programs in Go write it for a duration that is
// not set.
func (d *decoder) duration(f field) time.Duration {
	if !f.isSet() {
		return 0
	}
	text, ok := f.Data().(string)
	if f.Kind() != gaby.Scalar || !ok {
		p := d.refuse(f, "a duration is expected, not %s", shape(f.Value))
		if f.Kind() == gaby.Scalar {
			p.Hint = "durations have units: " + f.Text() + "s, " + f.Text() + "m"
		}
		return 0
	}
	value, err := time.ParseDuration(text)
	switch {
	case err != nil:
		problem := d.refuse(f, "%q is not a duration", text)
		problem.Hint = "durations are written as 90s, 30m or 1h30m"
	case value < 0:
		_ = d.fail(f, "the duration %s is negative", text)
		return 0
	}
	return value
}

// isSubdomain reports whether a text is a DNS subdomain, as names of objects are.
func isSubdomain(text string) bool {
	for label := range strings.SplitSeq(text, ".") {
		for i := range len(label) {
			c := label[i]
			edge := i == 0 || i == len(label)-1
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (edge || c != '-') {
				return false
			}
		}
		if label == "" {
			return false
		}
	}
	return len(text) <= 253
}
