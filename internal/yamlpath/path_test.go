package yamlpath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func TestParsePathErrors(t *testing.T) {
	for _, c := range []struct {
		path   string
		column int
		says   string
	}{
		{"a..b", 3, "a segment is empty"},
		{".a", 1, "a segment is empty"},
		{"a.", 3, "a segment is empty"},
		{"spec.?name", 11, "invalid associative lookup ?name: = is missing"},
		{"spec.?name:a:b=x", 13, "more than one colon"},
		{"spec.?name:=x", 12, "nothing follows the colon"},
		{"spec.?=x", 7, "the key to look for is missing"},
		{"spec.*x", 7, `unexpected "x" after *`},
		{"é.ö.*é", 6, `unexpected "é" after *`},
		{"spec.*@:", 6, "invalid map parameter expression"},
		{"spec.*?", 8, "the key to look for is missing"},
		{"metadata.@key", 10, "invalid map parameter expression"},
		{"metadata.@a:b:c", 10, "invalid map parameter expression"},
		{"a.|*", 4, "only a plain segment can follow a |"},
		{"a.|", 4, "a segment is empty"},
		{"a.|b.|c", 6, "a path can have only one |"},
		{"a.?k=@x", 7, "an index is expected after @"},
		{"image#", 6, "nothing follows the #"},
	} {
		t.Run(c.path, func(t *testing.T) {
			_, err := yamlpath.Parse(c.path)
			e, ok := errors.AsType[*yamlpath.Error](err)
			if !ok {
				t.Errorf("%s: no PathError but %v", c.path, err)
				return
			}
			if e.Column != c.column || !strings.Contains(e.Msg, c.says) {
				t.Errorf("%s: column %d: %s; want column %d: %s", c.path, e.Column, e.Msg, c.column,
					c.says)
			}
		})
	}
	if _, err := yamlpath.Parse(""); err == nil || err.Error() != "path cannot be empty" {
		t.Errorf("empty path: %v", err)
	}
}

func TestNormalizedPath(t *testing.T) {
	for path, want := range map[string]string{
		"spec.template.spec.containers.0.image":               "spec.template.spec.containers.*.image",
		"containers.?name:container-name=%s.image#uri":        "containers.*.image#uri",
		"metadata.annotations.@confighub~1com/key:annotation": "metadata.annotations.*",
		"a.*?name:x.*@:y.|b~1c":                               "a.*.*.b~1c",
		"spec.ports.?containerPort=80;@3.name":                "spec.ports.*.name",
		"metadata.annotations.%s":                             "metadata.annotations.%s",
	} {
		t.Run(path, func(t *testing.T) {
			p, err := yamlpath.Parse(path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			if got := string(p.NormalizedPath()); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		})
	}
}

func TestBindNeedsAllArguments(t *testing.T) {
	p, err := yamlpath.Parse("a.?name:n=%s.env.?name:e=%s.value")
	if err != nil {
		t.Fatal(err)
	}
	if p.Arguments() != 2 {
		t.Errorf("%d arguments, want 2", p.Arguments())
	}
	_, err = p.Bind([]string{"one"})
	if e, ok := errors.AsType[*yamlpath.ArgumentCountError](err); !ok || e.Got != 1 || e.Need != 2 {
		t.Errorf("binding one argument: %v", err)
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{
		"a.b", "*", "?k:p=v;@3", "*?k:p=v", "*@:p", "@a~1b:p.c",
		"a.|b#c.d", "%s.?%s=%s", "~", "a~", "é.|", "?=", "a#b#c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := yamlpath.Parse(text)
		if err != nil {
			e, ok := errors.AsType[*yamlpath.Error](err)
			if !ok {
				t.Fatalf("%q: %T is not a PathError", text, err)
			}
			if text != "" && (e.Column < 1 || e.Column > len([]rune(text))+1) {
				t.Fatalf("%q: column %d", text, e.Column)
			}
			return
		}
		args := make([]string, p.Arguments())
		for i := range args {
			args[i] = "x.y"
		}
		bound, err := p.Bind(args)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if len(args) > 0 && bound.Arguments() != 0 {
			t.Fatalf("%q: arguments are left after binding", text)
		}
		if p.NormalizedPath() == "" {
			t.Fatalf("%q: empty normalised path", text)
		}
	})
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{
		"a.b", "~", "~0", "~1", "a~.b", "~~1", "..",
		"app.kubernetes.io/name",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if key == "" || strings.ContainsAny(key[:1], "?*@|") || strings.Contains(key, "#") {
			return // the path language cannot express these
		}
		p, err := yamlpath.Parse(yamlpath.Escape(key))
		if err != nil {
			t.Fatalf("%q: %v", key, err)
		}
		if decimalKey(key) {
			return // normalized as an index
		}
		if got, want := string(p.NormalizedPath()), yamlpath.Escape(key); got != want {
			t.Fatalf("%q: came back as %q, want %q", key, got, want)
		}
	})
}

func decimalKey(s string) bool { return strings.Trim(s, "0123456789") == "" }
