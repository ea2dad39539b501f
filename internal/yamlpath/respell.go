package yamlpath

import (
	"regexp"
	"strings"
)

// CheckSpelling returns an error for a path in the notation of another tool, which Parse reads as
// unusual keys: containers[0].image, annotations["a.b/c"], annotations."a.b/c", annotations.a\.b/c,
// containers.[name=web], /spec/replicas, {.spec.replicas} and $.spec.replicas. The hint is the path
// as it is written here. A key that really looks like that is written @key:parameter.
func CheckSpelling(text string) error {
	body := text
	if inner, ok := strings.CutPrefix(text, "{"); ok && strings.HasSuffix(inner, "}") {
		body = strings.TrimSuffix(inner, "}")
	}
	if strings.HasPrefix(body, "$.") {
		body = body[1:]
	}
	body = strings.TrimPrefix(body, ".")
	at, spelled := 0, ""
	if pointer, ok := strings.CutPrefix(body, "/"); ok {
		keys := strings.Split(strings.TrimSuffix(pointer, "/"), "/")
		for i, key := range keys {
			keys[i] = strings.ReplaceAll(strings.ReplaceAll(key, "~1", "/"), "~0", "~")
		}
		spelled = string(Join(keys))
	} else if spelled, ok = withoutBrackets(unescaped(body)); !ok || spelled == text {
		return nil
	} else if body == text {
		at = strings.IndexByte(text, '[')
	}
	if _, err := Parse(spelled); err != nil {
		return nil
	}
	err := pathParser{text}.fail(0, "this is not how paths are written here")
	if at > 0 {
		err = pathParser{text}.fail(at, "unexpected %q", text[at:at+1])
	}
	err.Hint = "write " + spelled
	return err
}

// OtherNotation returns the error for a path in the notation of another tool. The hint is the path
// as it is written here.
func OtherNotation(text, spelled string) error {
	err := pathParser{text}.fail(0, "this is not how paths are written here")
	err.Hint = "write " + spelled
	return err
}

// withoutBrackets returns a path with segments instead of brackets: an index, * or a quoted key. It
// reports false if other brackets are in it.
func withoutBrackets(path string) (string, bool) {
	var b strings.Builder
	for start := 0; ; {
		open := strings.IndexByte(path[start:], '[')
		if open < 0 || strings.Contains(path[start:start+open], "#") {
			b.WriteString(path[start:])
			return b.String(), true
		}
		before := path[start : start+open]
		if segment := before[strings.LastIndexByte(before, '.')+1:]; segment != "" &&
			strings.ContainsRune("?*@|", rune(segment[0])) {
			return "", false
		}
		key, length := bracketed(path[start+open:])
		if length == 0 {
			return "", false
		}
		b.WriteString(strings.TrimSuffix(before, "."))
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(key)
		start += open + length
		if rest := path[start:]; rest != "" && !strings.ContainsRune(".[#", rune(rest[0])) {
			return "", false
		}
	}
}

// unescaped returns a path with ~1 for the dots that quotes or backslashes make part of a key, as
// in annotations."a.b/c" and annotations.a\.b/c. Segments that match by a value stay.
func unescaped(path string) string {
	path, accessor, embedded := strings.Cut(path, "#")
	path = quotedKey().ReplaceAllStringFunc(path, func(found string) string {
		key, end := found[2:], ""
		if strings.HasSuffix(key, ".") {
			key, end = key[:len(key)-1], "."
		}
		return "." + Escape(key[:len(key)-1]) + end
	})
	if strings.Contains(path, `\.`) && !strings.ContainsAny(path, "?*@|[") {
		path = strings.ReplaceAll(path, `\.`, "~1")
	}
	if embedded {
		path += "#" + accessor
	}
	return path
}

// quotedKey returns what matches a segment in quotes that follows another.
func quotedKey() *regexp.Regexp {
	return regexp.MustCompile(`\.("[^"?*@|\[\]]+"|'[^'?*@|\[\]]+')(\.|$)`)
}

// filter returns what matches a filter of JSONPath that compares a key with a text:
// [?(@.name=="web")].
func filter() *regexp.Regexp {
	return regexp.MustCompile(`^\[\?\(?\s*@\.([\w-]+)\s*==?\s*(?:"([^"]*)"|'([^']*)')\s*\)?\]`)
}

// selector returns what matches an element of a list as kustomize writes it: [name=web].
func selector() *regexp.Regexp { return regexp.MustCompile(`^\[([\w-]+)=([^\[\]]+)\]`) }

// bracketed returns the segment for the brackets that text begins with, and their length; 0 if they
// hold neither an index, *, a quoted key nor a key with its value.
func bracketed(text string) (segment string, length int) {
	if len(text) > 1 && (text[1] == '"' || text[1] == '\'') {
		end := strings.Index(text[2:], text[1:2]+"]")
		if end <= 0 {
			return "", 0
		}
		return Escape(text[2 : 2+end]), end + 4
	}
	if found := filter().FindStringSubmatch(text); found != nil {
		return "?" + Escape(found[1]) + "=" + Escape(found[2]+found[3]), len(found[0])
	}
	if found := selector().FindStringSubmatch(text); found != nil {
		return "?" + found[1] + "=" + Escape(strings.Trim(found[2], `"'`)), len(found[0])
	}
	end := strings.IndexByte(text, ']')
	if end < 0 || text[1:end] != "*" && decimal(text[1:end]) < 0 {
		return "", 0
	}
	return text[1:end], end + 1
}
