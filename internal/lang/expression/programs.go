package expression

import (
	"sync"
)

// maxPrograms is the number of compiled programs to keep. A run needs a few. If a server is asked
// for more, all are dropped and compiled again when needed.
const maxPrograms = 64

// Programs caches the compiled programs of a language, so that each is compiled once, however many
// units and parts of units it is run on. It is safe for concurrent use.
type Programs[P any] struct {
	language string
	compile  func(text string) (P, error)

	mu       sync.Mutex
	programs map[string]func() (P, error)
}

// NewPrograms returns an empty cache of programs that compile compiles. language is used in errors.
func NewPrograms[P any](language string, compile func(text string) (P, error)) *Programs[P] {
	return &Programs[P]{
		language: language, compile: compile, programs: map[string]func() (P, error){},
	}
}

// Get returns the compiled program. The error is one or several (joined) *[Error].
func (c *Programs[P]) Get(text string) (P, error) {
	c.mu.Lock()
	compiled, ok := c.programs[text]
	if !ok {
		if len(c.programs) >= maxPrograms {
			clear(c.programs)
		}
		compiled = sync.OnceValues(func() (P, error) {
			if len(text) > MaxLength {
				var none P
				return none, Source{Language: c.language}.Fail(0,
					"the program has %d bytes, at most %d are allowed", len(text), MaxLength)
			}
			return c.compile(text)
		})
		c.programs[text] = compiled
	}
	c.mu.Unlock()
	return compiled()
}
