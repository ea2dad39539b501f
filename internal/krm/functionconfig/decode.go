package functionconfig

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/strict"
)

// The codes of problems.
const (
	// alsoServer marks what the API server with Porch's definition refuses, too.
	alsoServer = "server"
	// onlyWarning marks what leaves an object usable.
	onlyWarning = "warning"
)

// The limits of the definition in the API server.
const (
	maxImage      = 255
	maxText       = 512 // of a prefix or a tag
	maxPath       = 4096
	maxPrefixes   = 256
	maxTags       = 1024
	maxQuantities = 16
	// maxCount is more pods, and more requests in a queue, than a cluster has.
	maxCount = 1 << 20
)

// everyTag is the hint for a list of tags that is missing or empty.
const everyTag = `tags: ["*"] is every tag`

// read reads an object, and reports whether it is a FunctionConfig of this version.
func (c *Config) read(root strict.Value) bool {
	ours := true
	is := func(name, want string) strict.Field {
		return strict.Need(strict.Field{Name: name, Read: func(v strict.Value) {
			if v.EqualText(want) {
				return
			}
			if ours = false; v.Text() != "" {
				v.Must(want, "").Code = alsoServer
			}
		}})
	}
	for _, field := range []strict.Field{is("kind", Kind), is("apiVersion", APIVersion)} {
		if !root.Part("a FunctionConfig", field) || !ours {
			return false
		}
	}
	root.Object("a FunctionConfig", append(strict.Unread("apiVersion", "kind"),
		strict.Need(strict.Field{Name: "metadata", Read: c.metadata}),
		strict.Need(strict.Field{Name: "spec", Read: c.spec}),
		strict.Field{Name: "status", Read: func(v strict.Value) { v.Part("a status") }})...)
	return true
}

// metadata reads what identifies the object. Other fields of metadata belong to the API server.
func (c *Config) metadata(v strict.Value) {
	v.Part("metadata", strict.Need(strict.Text("name", &c.Name)),
		strict.Text("namespace", &c.Namespace), strict.Text("uid", &c.UID),
		strict.To("generation", &c.Generation, func(v strict.Value) int64 { return int64(v.Int()) }))
	if c.Name != "" && !isSubdomain(c.Name) {
		v.Get("name").Must(`a name of lower-case letters, digits, "." and "-"`, "").Code = alsoServer
	}
}

// spec reads a spec, whose sections have two names: that of Porch and that of the proposal.
func (c *Config) spec(v strict.Value) {
	v.Object("a spec",
		strict.Need(strict.Text("image", &c.Image)),
		strict.Field{Name: "prefixes", Read: c.prefixes},
		strict.Field{Name: "goExecutor", Read: c.goExecutor}.Or("goExecutorConfig"),
		strict.Field{Name: "binaryExecutor", Read: c.binaryExecutor}.Or("binaryExecutorConfig"),
		strict.Field{Name: "podExecutor", Read: c.podExecutor}.Or("podExecutorConfig"))
	image := v.Get("image")
	if c.ImagePos = image.InFile(); c.Image != "" {
		checkImage(image, c.Image)
	}
	if len(c.Prefixes) == 0 {
		c.Prefixes = []string{""}
	}
	if c.Go != nil && c.Go.ID == "" {
		c.Go.ID = c.Image
	}
	if c.Go == nil && c.Binary == nil && c.Pod == nil {
		v.Fail("", "%s has no goExecutor, binaryExecutor or podExecutor", v.Path).Code = alsoServer
	}
}

func checkImage(v strict.Value, text string) {
	if process.IsImageBase(text) {
		short(v, text, maxImage)
		return
	}
	hint := ""
	if image, err := process.ParseImage(text); err == nil {
		hint = "image: " + image.Base + "; a repository belongs to prefixes, a tag to tags"
	}
	v.Must("the base name of an image", hint)
}

func (c *Config) prefixes(v strict.Value) {
	few(v, maxPrefixes)
	for e := range v.List() {
		text := e.Text()
		short(e, text, maxText)
		prefix := strings.TrimSuffix(text, "/")
		if text != "" {
			if err := process.CheckRepository(prefix); err != nil {
				e.Fail("", "%s: %q is not a repository: %w", e.Path, text, err)
				continue
			}
		}
		if !slices.Contains(c.Prefixes, prefix) {
			c.Prefixes = append(c.Prefixes, prefix)
		}
	}
}

// neededTags returns the field with the tags of a program or a Go function, of which there must be
// one.
func neededTags(to *[]Tag) strict.Field {
	field := strict.Need(strict.Field{Name: "tags", Read: func(v strict.Value) {
		if *to = tags(v, false); v.Len() == 0 {
			v.Fail(everyTag, "%s is empty", v.Path).Code = alsoServer
		}
	}})
	field.Hint = everyTag
	return field
}

// tags reads a list of tags.
func tags(v strict.Value, pod bool) []Tag {
	var tags []Tag
	seen := map[string]bool{}
	few(v, maxTags)
	for e := range v.List() {
		text, isText := e.Data().(string)
		if !isText {
			_ = e.Text() // reports it
			continue
		}
		short(e, text, maxText)
		if seen[text] {
			e.Fail("", "%s: the tag %q is in the list twice", e.Path, text).Code = onlyWarning
			continue
		}
		seen[text] = true
		if pod && text == "" {
			tags = append(tags, Tag{every: true})
			continue
		}
		tag, err := ParseTag(text)
		if err != nil {
			e.Fail("", "%s: %w", e.Path, err)
			continue
		}
		if pod && text == "latest" {
			tag.every = true
		}
		tags = append(tags, tag)
	}
	return tags
}

func (c *Config) goExecutor(v strict.Value) {
	c.Go = &Go{}
	v.Object("a goExecutor", neededTags(&c.Go.Tags),
		strict.Field{Name: "id", Read: func(v strict.Value) {
			if c.Go.ID = v.Text(); c.Go.ID == "" {
				v.Fail("leave it out for the name of the image", "%s is empty", v.Path)
			}
		}})
}

func (c *Config) binaryExecutor(v strict.Value) {
	c.Binary = &Binary{}
	var first strict.Value
	fields := []strict.Field{neededTags(&c.Binary.Tags)}
	for _, name := range []string{"relPath", "absPath", "path"} {
		fields = append(fields, strict.Field{Name: name, Read: func(v strict.Value) {
			if first.Exists() {
				v.FailKey("", "only one of %s and %s can be set", first.Path, v.Path)
			} else {
				first = v
			}
			c.Binary.program(v)
		}})
	}
	if v.Object("a binaryExecutor", fields...); !first.Exists() {
		v.Fail("relPath: is below the directory of --functions, absPath: is absolute",
			"%s has no path, relPath or absPath", v.Path).Code = alsoServer
	}
}

// program reads the path of a program.
func (b *Binary) program(v strict.Value) {
	text, key := v.Text(), v.Key()
	short(v, text, maxPath)
	switch {
	case text == "":
		v.Fail("", "%s is empty", v.Path).Code = alsoServer
	case strings.ContainsRune(text, 0):
		v.Fail("", "%s has a NUL byte", v.Path)
	case key == "absPath" && !path.IsAbs(text):
		v.Must("absolute", "relPath: is below the directory of --functions")
	case key == "relPath" && path.IsAbs(text):
		v.Must("relative", "absPath: is for absolute paths")
	case path.IsAbs(text):
		b.AbsPath = path.Clean(text)
	case !filepath.IsLocal(filepath.FromSlash(text)):
		v.Fail("", "%s: %q leaves the directory of functions", v.Path, text)
	case path.Clean(text) == ".":
		v.Fail("", "%s: %q is the directory of functions itself", v.Path, text)
	default:
		b.RelPath = path.Clean(text)
	}
}

// count returns a number of at least 0.
func count(v strict.Value) int {
	n := v.Int()
	switch {
	case n < 0:
		v.Must("at least 0", "")
	case n > maxCount:
		v.Fail("", "%s is %d, more than the limit of %d", v.Path, n, maxCount)
	}
	return n
}

// duration reads a Go duration. 0 is as good as none: programs in Go write it for a duration that is
// not set.
func duration(v strict.Value) time.Duration {
	text, isText := v.Data().(string)
	if !isText {
		hint := ""
		if text = v.Value.Text(); text != "" {
			hint = "durations have units: " + text + "s, " + text + "m"
		}
		v.Must("a duration", hint).Code = alsoServer
		return 0
	}
	value, err := time.ParseDuration(text)
	switch {
	case err != nil:
		v.Must("a duration", "durations are written as 90s, 30m or 1h30m").Code = alsoServer
	case value < 0:
		v.Fail("", "%s is negative: %s", v.Path, text)
	}
	return value
}

// short checks the length of a text.
func short(v strict.Value, text string, longest int) {
	if len(text) > longest {
		v.Fail("", "%s has %d characters, more than the limit of %d", v.Path, len(text), longest)
	}
}

// few checks the length of a list or map.
func few(v strict.Value, most int) {
	if v.Len() > most {
		v.Fail("", "%s has %d entries, more than the limit of %d", v.Path, v.Len(), most)
	}
}

// same reports two fields of different maps that mean the same, at the later one.
func same(first, second strict.Value) {
	if !first.Exists() || !second.Exists() {
		return
	}
	p, q := first.KeyPosition(), second.KeyPosition()
	if q.Line < p.Line || q.Line == p.Line && q.Column < p.Column {
		first, second = second, first
	}
	second.FailKey("", "%s and %s are the same field", first.Path, second.Path)
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
