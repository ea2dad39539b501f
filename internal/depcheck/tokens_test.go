package depcheck_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// budget has the most tokens that the packages of a layer may have, in thousands. A feature that
// needs more says what it replaces, or why nothing can go.
func budget() map[string]int {
	return map[string]int{
		"api": 6, "base": 68, "document": 87, "knowledge": 101, "languages": 38, "configkit": 152,
		"functions": 140, "systems": 327, "commands": 196, "programs": 12,
	}
}

// TestTokensOfLayers counts the tokens of Go in every layer, without tests, generated files, imports
// and comments, and prints them with -v.
func TestTokensOfLayers(t *testing.T) {
	tokens, sum := map[string]int{}, 0
	for _, p := range list(t, module+"/...") {
		if len(p.GoFiles) == 0 {
			continue // only tests
		}
		layer := layerOf(t, p)
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("\n// Code generated ")) {
				continue // nobody reads it
			}
			n := tokensIn(text)
			tokens[layer] += n
			sum += n
		}
	}
	for _, layer := range layers() {
		t.Logf("%-10s %7d tokens, at most %d,000", layer, tokens[layer], budget()[layer])
		if tokens[layer] > 1000*budget()[layer] {
			t.Errorf("the packages of layer %s have %d tokens, at most %d,000 are allowed: replace "+
				"something, or raise the budget and say why", layer, tokens[layer], budget()[layer])
		}
	}
	t.Logf("%-10s %7d tokens", "all", sum)
}

// tokensIn counts the tokens of a file, without its imports and the semicolons that the scanner
// adds at the ends of lines.
func tokensIn(text []byte) int {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	n, imports, inParentheses := 0, false, false
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return n
		case tok == token.IMPORT:
			imports, inParentheses = true, false
		case imports && tok == token.LPAREN:
			inParentheses = true
		case imports && tok == token.RPAREN:
			inParentheses = false
		case imports:
			imports = inParentheses || tok != token.SEMICOLON
		case tok != token.SEMICOLON || literal != "\n":
			n++
		}
	}
}

func TestTokensAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"": 0,
		"package a\n\nimport (\n\t\"fmt\"\n\tb \"x\"\n)\n\nimport \"y\"\n\nvar a = 1 // b\n": 6,
		"package a\nfunc a() { a(); a() }\n":                                                 15,
	} {
		if got := tokensIn([]byte(text)); got != want {
			t.Errorf("%q: %d tokens, want %d", strings.TrimSpace(text), got, want)
		}
	}
}
