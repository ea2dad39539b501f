package do

import (
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/source"
)

// secrets finds the secret values that problems with a unit may quote if no function ran on it. The
// unit is nil if it could not be read; the result is then nil, too.
func (l *loop) secrets(unit *source.InputUnit) *sensitive.Values {
	if l.options.ShowSecrets || unit == nil {
		return nil
	}
	others := functions.Texts(l.chain.Invocations)
	for _, data := range l.other {
		others = append(others, data)
	}
	return l.deps.Executor.Sensitive(unit.Toolchain, [][]byte{unit.Data}, others...)
}
