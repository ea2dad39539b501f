package namespaces

import "testing"

func TestRenameNamespace(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"db.shop.svc", "db.new.svc"},
		{
			"http://db.shop.svc.cluster.local:80/x?u=a.shop.svc",
			"http://db.new.svc.cluster.local:80/x?u=a.new.svc",
		},
		{
			"pod-0.db.shop.svc:5432,pod-1.db.shop.svc:5432",
			"pod-0.db.new.svc:5432,pod-1.db.new.svc:5432",
		},
		{"$(HOST).shop.svc", "$(HOST).new.svc"},
		{"localhost,.shop.svc", "localhost,.new.svc"},
		{".shop.svc.shop.svc", ".new.svc.new.svc"},
		{"shop.svc", "shop.svc"},           // the Service shop without a namespace
		{"db.shop.svcs", "db.shop.svcs"},   // another domain
		{"db.shop.svc-2", "db.shop.svc-2"}, // another domain
		{"db.myshop.svc", "db.myshop.svc"}, // another namespace
		{"db.shop.svc_x.shop.svc", "db.shop.svc_x.new.svc"},
		{"", ""},
	} {
		t.Run(test.text, func(t *testing.T) {
			if got := inText(test.text, "shop", "new"); got != test.want {
				t.Errorf("%q: %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestHosts(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"web.shop.svc", "www.shop.svc"},
		{"http://web.shop.svc.cluster.local/?u=web.shop.svc", "http://www.shop.svc.cluster.local/?u=www.shop.svc"},
		{"web-0.web.shop.svc:80", "web-0.www.shop.svc:80"}, // a pod of the Service
		{"web.test.svc web.shop.svcs my-web.shop.svc", "web.test.svc web.shop.svcs my-web.shop.svc"},
		{"web.shop", "web.shop"}, // may be a domain
		{"", ""},
	} {
		if got := inHosts(test.text, func(namespace, name string) (string, bool) {
			return "www", namespace == "shop" && name == "web"
		}); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestWordCount(t *testing.T) {
	for text, want := range map[string]int{
		"shop":                         1,
		"db.shop.svc":                  1,
		"db.shop:80, shop":             2,
		"shop, shop, shop":             2, // as many as the caller asked for
		"the shop. Closed":             1,
		"shop.example.com/v1":          0,
		"my-shop shop-2 shops e_shop":  0,
		"db.shop.svcs":                 1, // it begins like the DNS name of a Service
		"":                             0,
		"{namespace=\"shop\"} > shops": 1,
	} {
		t.Run(text, func(t *testing.T) {
			if got := wordCount([]byte(text), "shop", 2); got != want {
				t.Errorf("%q: %d, want %d", text, got, want)
			}
		})
	}
}
