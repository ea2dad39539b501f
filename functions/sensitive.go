package functions

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
)

// Sensitive finds the secret values in texts of a unit, see sensitive.Find. It returns nil when there are none.
func (e *Executor) Sensitive(t api.ToolchainType, texts ...[]byte) *sensitive.Values {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	return sensitive.Find(h.Converter(), h.ResourceProvider(), texts...)
}
