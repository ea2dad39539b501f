//go:build !race

package textkit_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/textkit"
)

func TestCorpus(t *testing.T) { formattest.Corpus(t, textkit.Converter{}, corpus) }
