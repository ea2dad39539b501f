package fn

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/settings"
)

// TestProgress checks that a terminal shows a function when it starts, and files only when it
// ended.
func TestProgress(t *testing.T) {
	for name, c := range map[string]struct {
		terminal, quiet bool
		want            string
	}{
		"terminal": {
			terminal: true,
			want: "[RUNNING] \"f\" on 2 resources in package \"a\"\n" +
				"[PASS] \"f\" on 2 resources\n",
		},
		"file":  {want: "[PASS] \"f\" on 2 resources\n"},
		"quiet": {terminal: true, quiet: true},
	} {
		t.Run(name, func(t *testing.T) {
			streams, _, _, errOut := iostreams.Test()
			streams.SetTerminal(false, false, c.terminal, 80)
			if err := streams.SetColor("never"); err != nil {
				t.Fatal(err)
			}
			s := settings.Defaults()
			s.Quiet = c.quiet
			r := &stepReporter{runner: &runner{app: &command.App{Streams: streams}, settings: s}}
			step := &krm.Step{Name: "f", Package: "a", Selected: true}
			r.started(step, 2)
			r.ended(&krm.StepResult{Step: step, Selected: 2})
			if got := errOut.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
