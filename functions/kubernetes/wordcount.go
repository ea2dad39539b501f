package kubernetes

import (
	"bytes"
	"strings"
)

// wordCount counts how often a namespace is in a text, but at most to most. It does not count
// longer names that contain it, or API groups that begin with it.
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
		if rest := text[at:]; len(rest) > 0 &&
			(isLabelByte(rest[0]) || rest[0] == '.' && len(rest) > 1 && isLabelByte(rest[1]) &&
				!bytes.HasPrefix(rest, []byte(".svc"))) {
			continue
		}
		count++
	}
	return count
}

// indexBy is bytes.Index. It searches for the byte word[rare] first, which is much faster if that
// byte is rare.
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

// frequent lists the most frequent bytes of configuration, in descending order.
const frequent = "eatorsniplmcu-dbhyvgkf"

// rarest returns the index of the byte of word that is likely to be the rarest in a text.
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
