package strict

import "strings"

// Choice is the cause of a failure at a place where only some texts are right. An editor offers
// them.
type Choice struct {
	Keys  bool // they are names of fields, not values
	Names []string
	About []string // what the names mean, in the same order; nil if nothing is known
	Err   error    // another cause, if any
}

func (c *Choice) Error() string { return "the choices are " + strings.Join(c.Names, ", ") }

// Unwrap returns the other cause.
func (c *Choice) Unwrap() error { return c.Err }

// Of sets the choices at the place of the problem.
func (p *Problem) Of(c Choice) {
	c.Err = p.Failure.Err
	p.Failure.Err = &c
}

// fieldNames returns the names of fields for a choice.
func fieldNames(fields []Field) Choice {
	c := Choice{Keys: true}
	for _, f := range fields {
		if !f.Recorded {
			c.Names = append(c.Names, f.Name)
		}
	}
	return c
}
