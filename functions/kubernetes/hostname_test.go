package kubernetes

import (
	"strings"
	"testing"
)

func TestHostnames(t *testing.T) {
	label := strings.Repeat("a", 63)
	for _, c := range []struct {
		check func(string) error
		good  []string
		bad   []string
	}{
		{
			checkHostname,
			[]string{
				"shop.example.com", "*.example.com", "localhost", "xn--bcher-kva.example",
				"1.example.com", "3com.com", "a.b.c.d.e.f.g.h.i.j.k.l",
				label + ".example.com", strings.Repeat(label+".", 3) + strings.Repeat("a", 61),
			},
			[]string{
				"", "*", "*.", ".example.com", "example.com.", "a..b", "shop.*.com",
				"*shop.example.com", "Shop.example.com", "bücher.example",
				"-a.example.com", "a-.example.com", "a_b.example.com", "shop example.com",
				"shop.example.com:443", "https://shop", "10.0.0.1", "shop.1",
				"[::1]", label + "a.example.com",
				strings.Repeat(label+".", 3) + strings.Repeat("a", 62),
			},
		},
		{
			checkSubdomain,
			[]string{"shop", "*", "xn--bcher-kva", "1", label},
			[]string{"", "shop.eu", "*shop", "Shop", "bücher", "-shop", label + "a"},
		},
		{
			checkDomain,
			[]string{"example.com", "local", "a.b.c.d.e.f.g.h.i.j"},
			[]string{
				"", "*.example.com", "example.com.", "a.b.c.d.e.f.g.h.i.j.k", "Example.com",
				"0.0.1", strings.Repeat(label+".", 3) + strings.Repeat("a", 60),
			},
		},
	} {
		t.Run(c.good[0], func(t *testing.T) {
			for _, name := range c.good {
				if err := c.check(name); err != nil {
					t.Errorf("%q: %v", name, err)
				}
			}
			for _, name := range c.bad {
				if c.check(name) == nil {
					t.Errorf("%q is taken", name)
				}
			}
		})
	}
}
