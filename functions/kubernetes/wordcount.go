package kubernetes

import (
	"bytes"
	"strings"
)

// wordCount counts how often a namespace is in a text, up to a number. A longer name and an API group that begins with it are other words.
func wordCount(text []byte, namespace string, most int) int {
	word := []byte(namespace)
	rare := rarest(word)
	count := 0
	for at := 0; count < most; {
		i := indexBy(text[at:], word, rare)
		if i < 0 {
			break
		}
		i += at
		at = i + len(word)
		if i > 0 && isLabelByte(text[i-1]) {
			continue
		}
		if rest := text[at:]; len(rest) > 0 && (isLabelByte(rest[0]) || rest[0] == '.' && len(rest) > 1 && isLabelByte(rest[1]) && !bytes.HasPrefix(rest, []byte(".svc"))) {
			continue
		}
		count++
	}
	return count
}

// indexBy is bytes.Index that looks for one byte of the word first, which is much faster when that is a rare one.
func indexBy(text, word []byte, rare int) int {
	for at := rare; at < len(text); at++ {
		i := bytes.IndexByte(text[at:], word[rare])
		if i < 0 {
			return -1
		}
		at += i
		if bytes.HasPrefix(text[at-rare:], word) {
			return at - rare
		}
	}
	return -1
}

// frequent are the bytes that configuration has most of, the most frequent first.
const frequent = "eatorsniplmcu-dbhyvgkf"

// rarest is the index of the byte of a word that a text is likely to have least of.
func rarest(word []byte) int {
	best, rank := 0, -1
	for i, c := range word {
		r := strings.IndexByte(frequent, c)
		if r < 0 {
			return i
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}
