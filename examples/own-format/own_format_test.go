package main

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/functest"
)

func TestCases(t *testing.T) {
	executor := functions.NewStandardExecutor()
	if err := register(executor); err != nil {
		t.Fatal(err)
	}
	functest.Suite{Executor: executor, Dir: "testdata", Toolchain: toolchain}.Run(t)
}

// TestEdits makes random edits of random texts. The edited text must be read back as intended, and
// nothing else may change.
func TestEdits(t *testing.T) {
	formattest.Property(t, formatkit.Converter[sysctl]{}, func(d formattest.Dice) string {
		var b strings.Builder
		for range d(8) {
			b.WriteString(formattest.Pick(d, "", "\n", "# a comment\n", "; another\n"))
			b.WriteString(formattest.Pick(
				d, "net.ipv4.ip_forward", "net.core.somaxconn", "vm.swappiness", "vm.max",
				"kernel.x.0",
			))
			b.WriteString(
				formattest.Pick(d, " = ", "=", "\t= ") +
					formattest.Pick(d, "0", "1", "4096 87380 6291456", "|/bin/core %p", "") + "\n",
			)
		}
		return b.String()
	})
}
