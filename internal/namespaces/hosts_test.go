package namespaces

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

func TestFormerHosts(t *testing.T) {
	hosts := FormerHosts(func(namespace, name string) bool {
		switch name {
		case "search":
			return namespace == "shop" || namespace == schemas.Anywhere
		case "web":
			return namespace == "" || namespace == schemas.Anywhere
		}
		return false
	})
	for _, c := range []struct {
		context HostContext
		hosts   string // one per line
		others  string
	}{
		{
			AnyContext,
			"http://search\nhttp://search:80/x\nhttps://user:word@search/\nsearch:9200\n" +
				"search.shop\nsearch.shop:80\nsearch.shop.svc\n" +
				"a search.shop.svc.cluster.local. b\nsearch-0.search.shop.svc\n//search.\n" +
				"web.any.svc\nweb.shop\n{\"url\":\"http://search\"}",
			"search\nresearch:80\nsearch-2:80\nsearch.tools\nsearch.tools.svc\n" +
				"search.shop.example.com\nwww.search.shop\nsearch.shop.svcs\nweb.tools\n" +
				"www.search\n/etc/search\nsearch/x\nhttp://searches\nsearch: 80\nshop/search:1.0",
		},
		{
			CommandContext,
			"search\n--host=search\n--hosts=a,search,b\nsearch:9200\n[\"search\"]\nsearch.shop",
			"--search\n--search=1\nsearch=1\n/search\n./search\nsearch/x\nsearch-x\nsearch.tools\n",
		},
		{ImageContext, "search.shop.svc:5000/app:1.0", "search:1\nsearch\nshop/search:1"},
	} {
		t.Run(fmt.Sprint(c.context), func(t *testing.T) {
			for text := range strings.SplitSeq(c.hosts, "\n") {
				if _, found := hosts.In(text, "shop", c.context); !found {
					t.Errorf("context %d: no host in %q", c.context, text)
				}
			}
			for text := range strings.SplitSeq(c.others, "\n") {
				if name, found := hosts.In(text, "shop", c.context); found {
					t.Errorf("context %d: %s in %q", c.context, name, text)
				}
			}
		})
	}
	if _, found := hosts.In("http://search", "tools", AnyContext); found {
		t.Error("a short name is one of its own namespace")
	}
	if _, found := hosts.In("http://search.shop", "tools", AnyContext); !found {
		t.Error("a long name is the same in all namespaces")
	}
}
