//go:build !race

package inikit_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/inikit"
)

func TestCorpus(t *testing.T) { formattest.Corpus(t, inikit.Converter{}, corpus) }
