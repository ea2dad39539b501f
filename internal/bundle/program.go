package bundle
import "github.com/fctl-dev/fctl/smith/plugin"
type program struct { undescribed bool }
func (p *program) Describe() *plugin.Description { return nil }
func (p *program) Process(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult { return nil }
