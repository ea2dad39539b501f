package where_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/where"
)

const shop = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app: web, tier: front, example.com/team: "7"}
spec:
  replicas: 3
  paused: false
  note: "5"
  nothing:
  template:
    spec:
      containers:
      - name: a
        image: nginx:1.27
        resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 2}}
      - name: b
        image: proxy:2
        securityContext: {runAsNonRoot: true}
---
apiVersion: v1
kind: Service
metadata:
  name: web
  labels: {app: web}
spec:
  type: ClusterIP
---
just: a document
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: shop
  annotations: {confighub.com/ResourceNameStableCore: reade}
`

func TestWhereResource(t *testing.T) {
	const deployment, service, role = "Deployment ", "Service ", "Role "
	for _, c := range []struct{ where, want string }{
		{"", deployment + service + "none " + role},
		{"  \t", deployment + service + "none " + role},
		{"ConfigHub.ResourceType = 'apps/v1/Deployment'", deployment},
		{"ConfigHub.ResourceType='v1/Service'", service},
		{"ConfigHub.ResourceType != 'v1/Service'", deployment + role},
		{
			"ConfigHub.ResourceType IN ('v1/Service','rbac.authorization.k8s.io/v1/Role')",
			service + role,
		},
		{"ConfigHub.ResourceType NOT IN ('v1/Service')", deployment + role},
		{"ConfigHub.ResourceType LIKE '%/v1/%'", deployment + role},
		{"ConfigHub.ResourceType ~ '^v1/'", service},
		{"ConfigHub.ResourceType !~* 'DEPLOY'", service + role},
		{"ConfigHub.ResourceName = 'shop/web'", deployment},
		{"ConfigHub.ResourceName = '/web'", service},
		{"ConfigHub.ResourceNameWithoutScope = 'web'", deployment + service},
		{"ConfigHub.ResourceNameWithoutScope < 'web'", role},
		{"ConfigHub.ResourceCategory = 'Resource'", deployment + service + role},
		{"ConfigHub.ResourceNameStableCore = 'reade'", role},
		{"ConfigHub.ResourceNameStableCore = 'web'", deployment + service},
		{"metadata.labels.app = 'web'", deployment + service},
		{"metadata.labels.app = 'web' AND spec.replicas >= 3", deployment},
		{"metadata.labels.app='web' AND\n ConfigHub.ResourceType != 'v1/Service'", deployment},
		{"metadata.labels.example~1com/team = '7'", deployment},
		{"metadata.labels.tier != 'front'", ""},
		{"metadata.|labels.tier != 'front'", service + role},
		{"metadata.|labels.tier = 'front'", deployment},
		{"metadata.labels.tier IS NULL", service + role},
		{"metadata.labels.tier IS NOT NULL", deployment},
		{"spec.replicas = 3", deployment},
		{"spec.replicas = '3'", ""},
		{"spec.replicas IN (1, 3)", deployment},
		{"spec.replicas NOT IN (1, 3)", ""},
		{"spec.replicas > 3", ""},
		{"spec.replicas <= 3", deployment},
		{"spec.note = 5", ""},
		{"spec.note = '5'", deployment},
		{"spec.paused = false", deployment},
		{"spec.paused != true", deployment},
		{"spec.nothing != 'x'", ""},
		{"spec.nothing IS NULL", deployment + service + role},
		{"spec.type ILIKE 'CLUSTER__'", service},
		{"spec.type LIKE 'cluster%'", ""},
		{"spec.type NOT ILIKE 'x%'", service},
		{"spec.type ~~* 'CLUSTER__'", service},
		{"spec.type !~~* 'CLUSTER__'", ""},
		{
			"(spec.type IS NULL) AND (metadata.name = 'web' OR metadata.labels.app IS NULL)",
			deployment + role,
		},
		{"spec.type ~~ 'Cluster%'", service},
		{"spec.type !~~ 'Cluster%'", ""},
		{"spec.template = 'x'", ""},
		{"spec.template.spec.containers.0.image = 'nginx:1.27'", deployment},
		{"spec.template.spec.containers.0.image#uri = 'nginx'", deployment},
		{"spec.template.spec.containers.0.image#reference IN (':1.27', ':1.28')", deployment},
		{"spec.template.spec.containers.0.resources.requests.cpu = '0.5'", deployment},
		{"spec.template.spec.containers.0.resources.requests.memory > '1000M'", deployment},
		{"spec.template.spec.containers.0.resources.limits.cpu >= '2000m'", deployment},
		{"spec.template.spec.containers.*.image = 'proxy:2'", deployment},
		{"spec.template.spec.containers.?name=b.image = 'proxy:2'", deployment},
		{"spec.template.spec.containers.?name=a.image = 'proxy:2'", ""},
		{"spec.template.spec.containers.*.|securityContext.runAsNonRoot != true", deployment},
		{"metadata.labels.*@:key = 'web'", deployment + service},
		{"metadata.|labels.tier NOT IN ('front')", service + role},
		{"metadata.|labels.tier !~ 'f'", service + role},
		{"metadata.|labels.tier NOT LIKE 'f%'", service + role},
		{"metadata.|gone.tier IN ('front')", ""},
		{"gone.|labels.tier NOT IN ('front')", ""},
		{"spec.replicas = 3 OR spec.type = 'ClusterIP'", deployment + service},
		{"spec.replicas = 4 OR ConfigHub.ResourceNameWithoutScope = 'reader'", role},
		{"metadata.name = 'web' AND spec.replicas = 3 OR metadata.name = 'reader'", deployment +
			role},
		{"metadata.name = 'web' AND (spec.replicas = 3 OR metadata.name = 'reader')", deployment},
		{"(metadata.name='web')AND(spec.replicas=4 OR\tspec.type='ClusterIP')", service},
		{"( ( spec.replicas = 3 ) )", deployment},
	} {
		t.Run(c.where, func(t *testing.T) {
			w, err := where.Parse(c.where)
			if err != nil {
				t.Errorf("%s: %v", c.where, err)
				return
			}
			got := ""
			for _, doc := range parseUnit(t, shop) {
				ok, err := w.MatchResource(k8skit.New(), doc)
				if err != nil {
					t.Errorf("%s: %v", c.where, err)
				}
				if h, _ := doc.Header(); ok && h.Kind == "" {
					got += "none "
				} else if ok {
					got += h.Kind + " "
				}
			}
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.where, got, c.want)
			}
		})
	}
}

func TestWhereFilter(t *testing.T) {
	const containers = "spec.template.spec.containers."
	for _, c := range []struct {
		of, where string
		want      bool
	}{
		{"apps/v1/Deployment", "", true},
		{"apps/v1/DaemonSet", "", false},
		{"apps/v1/Deployment", containers + "*.image = 'proxy:2'", true},
		{"apps/v1/Deployment", containers + "*.image = 'proxy:3'", false},
		{
			"apps/v1/Deployment",
			containers + "*.image = 'proxy:2' AND " + containers + "*.name = 'a'", true,
		},
		{"apps/v1/Deployment", containers + "?name=b.image = 'proxy:2'", true},
		{"apps/v1/Deployment", containers + "?name:container-name=a.image = 'proxy:2'", false},
		{"apps/v1/Deployment", containers + "*?name:c.image LIKE 'nginx%'", true},
		{"apps/v1/Deployment", containers + "*.image#reference = ':2'", true},
		{"apps/v1/Deployment", containers + "*.securityContext.runAsNonRoot != true", false},
		{"apps/v1/Deployment", containers + "*.|securityContext.runAsNonRoot != true", true},
		{"apps/v1/Deployment", containers + "1.|securityContext.runAsNonRoot != true", false},
		{"apps/v1/Deployment", "spec.gone.|securityContext.runAsNonRoot != true", false},
		{"apps/v1/Deployment", containers + "*.securityContext.runAsNonRoot = true", true},
		{"apps/v1/Deployment", containers + "*.resources.requests.cpu < '1'", true},
		{"apps/v1/Deployment", containers + "*.resources.requests.cpu > '1'", false},
		{"apps/v1/Deployment", containers + "*.resources.requests.memory = '1024Mi'", true},
		{"apps/v1/Deployment", containers + "*.resources.requests.memory != '1Gi'", false},
		{"apps/v1/Deployment", "metadata.labels.*@:key = 'front'", true},
		{"apps/v1/Deployment", containers + "*.gone IS NULL", true},
		{"*", "metadata.labels.app = 'web'", true},
		{"v1/Service", "ConfigHub.ResourceName = 'shop/web'", false},
	} {
		t.Run(c.where, func(t *testing.T) {
			w, err := where.Parse(c.where)
			if err != nil {
				t.Errorf("%s: %v", c.where, err)
				return
			}
			matching, seen, err := w.Filter(k8skit.New(), parseUnit(t, shop),
				api.ResourceType(c.of))
			if passed := len(matching) > 0; err != nil || passed != c.want || seen < len(matching) {
				t.Errorf("%s %s: %v of %d, %v, want %v", c.of, c.where, passed, seen, err, c.want)
			}
		})
	}
}

func TestWhereErrors(t *testing.T) {
	for _, c := range []struct {
		where  string
		column int
		says   string
		hint   string
	}{
		{"1 = 1", 1, "invalid path at `1 = 1`", ""},
		{"a == 1", 4, "no operand found at `= 1`", "== is written ="},
		{"a <> 'b'", 4, "no operand found at `> 'b'`", "<> is written !="},
		{"a = = 1", 5, "no operand found at `= 1`", "single quotes"},
		{"a = 1 && b = 1", 7, "AND or OR is expected at `&& b = 1`", "&& is written AND"},
		{"a = 1 || b = 1", 7, "AND or OR is expected at `|| b = 1`", "|| is written OR"},
		{"'a' = 'b'", 1, "invalid path at `'a' = 'b'`", ""},
		{"a..b = 1", 3, "invalid path at `.b = 1`", ""},
		{"a.b. = 1", 5, "invalid path at ` = 1`", ""},
		{"a.?name.b = 1", 3, "a lookup is ?key=value", ""},
		{"a.|*.b = 1", 4, "only a plain segment can follow a |", ""},
		{"a.|b.* = 1", 1, "keys after it", ""},
		{"a.|b.|c = 1", 6, "a path can have only one |", ""},
		{"a# = 1", 3, "nothing follows the #", ""},
		{"spec.replicas", 14, "invalid operator at ``", "there are ="},
		{"spec.replicas == 3", 16, "no operand found at `= 3`", ""},
		{
			"spec.replicas like 'x'", 15, "invalid operator at `like 'x'`",
			"LIKE is written in capitals",
		},
		{"spec.replicas =", 16, "no operand found at `spec.replicas =`", ""},
		{"spec.replicas = -1", 17, "no operand found at `-1`", "neither sign nor fraction"},
		{"spec.replicas = 1.5", 17, "no operand found at `1.5`", ""},
		{"spec.replicas = 12345678901", 17, "at most 10 digits", ""},
		{
			"spec.image = nginx", 14, "no operand found at `nginx`",
			"did you mean 'nginx', in single quotes?",
		},
		{"spec.paused = TRUE", 15, "no operand found at `TRUE`", "did you mean true?"},
		{"spec.paused != False", 16, "no operand found at `False`", "did you mean false?"},
		{`spec.image = "nginx"`, 14, "no operand found", "single quotes"},
		{"spec.image = 'nginx", 14, "a ' is missing", ""},
		{`spec.image = 'a"b'`, 16, "not allowed in a text", ""},
		{`spec.image ~ 'a\d'`, 16, "not allowed in a text", ""},
		{"spec.image ~ '('", 14, "missing closing )", ""},
		{"spec.paused < true", 13, "invalid boolean operator `<`", "= and !="},
		{"spec.replicas LIKE 3", 15, "invalid operator at `LIKE 3`", "text in single quotes"},
		{"spec.x IN 'a'", 11, "invalid IN clause at `'a'`", "IN ('a', 'b')"},
		{"spec.x IN ()", 12, "invalid IN clause at `()`", ""},
		{"spec.x IN ('a',)", 16, "invalid IN clause at `('a',)`", ""},
		{"spec.x IN ('a' 'b')", 16, "invalid IN clause", ""},
		{"spec.x IN ('a'", 15, "invalid IN clause", ""},
		{"spec.x IN (b)", 12, "invalid IN clause", "'b'"},
		{"spec.x IS 3", 11, "invalid operator at `3`", ""},
		{"a = 1 b = 2", 7, "AND or OR is expected at `b = 2`", ""},
		{"a = 1 AND", 10, "nothing follows the AND", ""},
		{"a = 1 AND ", 11, "nothing follows the AND", ""},
		{"a = 1 ANDx = 2", 7, "AND or OR is expected", "with blanks around it"},
		{"a = 1 and b = 2", 7, "AND or OR is expected", "in capitals"},
		{"a = 1 or b = 2", 7, "AND or OR is expected", "OR is written in capitals"},
		{"a = 1 OR", 9, "nothing follows the OR", ""},
		{"a = 1 ORb = 2", 7, "AND or OR is expected", "OR is written in capitals"},
		{"(a = 1", 1, "a ) is missing", ""},
		{"(a = 1))", 8, "unexpected `)`", "a ( is missing"},
		{"a = 1)", 6, "unexpected `)`", "a ( is missing"},
		{"a = 1 )", 7, "AND or OR is expected", ""},
		{"()", 2, "invalid path at `)`", ""},
		{"(a = 1 AND )", 12, "nothing follows the AND", ""},
		{"(a = 1) b = 2", 9, "AND or OR is expected at `b = 2`", ""},
		{"(a = 1)b = 2", 8, "unexpected `b = 2`", "with blanks"},
		{strings.Repeat("(", 33) + "a = 1", 33, "more than 32 parentheses are open", ""},
		{"spec.containers[0].image = 'x'", 16, "invalid path", "write spec.containers.0.image"},
		{"/spec/replicas > 1", 1, "invalid path", "write spec.replicas"},
		{"{.spec.replicas} > 1", 1, "invalid path", "write spec.replicas"},
		{
			"a = 1 AND metadata.annotations['x y/z.w'] = 'v'", 31, "invalid path",
			"",
		},
		{"a = 'x''y'", 8, "unexpected `'y'`", "AND or OR with blanks"},
		{"a = 1 2", 7, "AND or OR is expected at `2`", ""},
		{"a = 'x'AND b = 1", 8, "unexpected `AND b = 1`", ""},
		{"é = 1", 1, "invalid path", ""},
		{"a = 'é' AND b ? 1", 15, "invalid operator at `? 1`", ""},
		{
			"ConfigHub.ResourceTyp = 'x'", 1,
			"unsupported WhereResource path: ConfigHub.ResourceTyp",
			"did you mean ConfigHub.ResourceType?",
		},
		{
			"ConfigHub.UnitSlug = 'x'", 1, "unsupported WhereResource path: ConfigHub.UnitSlug",
			"ConfigHub.ResourceName",
		},
		{"ConfigHub.ResourceName = 5", 26, "ConfigHub fields are text", "single quotes"},
		{"a = '\x01'", 6, "control characters", ""},
		{"a." + strings.Repeat("x", 129) + " = 1", 3, "more than 128 characters", ""},
		{strings.Repeat("a = 1 AND ", 64) + "a = 1", 641, "more than 64 terms", ""},
		{"a IN (" + strings.Repeat("1,", 256) + "1)", 519, "more than 256 values", ""},
	} {
		t.Run(c.where, func(t *testing.T) {
			_, err := where.Parse(c.where)
			e, ok := errors.AsType[*where.Error](err)
			if !ok {
				t.Errorf("%s: %v", c.where, err)
				return
			}
			if e.Column != c.column || !strings.Contains(e.Msg, c.says) ||
				!strings.Contains(e.Hint, c.hint) {
				t.Errorf(
					"%s: column %d: %s (hint %s); want column %d: %s (hint %s)", c.where, e.Column,
					e.Msg, e.Hint, c.column, c.says, c.hint,
				)
			}
			if text, column := e.Expression(); text != c.where || column != e.Column {
				t.Errorf("%s: expression %q, column %d", c.where, text, column)
			}
		})
	}
}

func TestHeaderDecides(t *testing.T) {
	broken := parseUnit(t, "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec: [\n")[0]
	for expr, want := range map[string]bool{
		"ConfigHub.ResourceType = 'v1/Service'":                           true,
		"ConfigHub.ResourceType = 'v1/Pod'":                               false,
		"spec.x = 1 AND ConfigHub.ResourceNameWithoutScope = 'something'": false,
		"spec.x = 1 OR ConfigHub.ResourceNameWithoutScope = 'web'":        true,
		"(spec.x = 1 OR spec.y = 2) AND ConfigHub.ResourceName = 'x/y'":   false,
	} {
		t.Run(expr, func(t *testing.T) {
			w, err := where.Parse(expr)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := w.MatchResource(k8skit.New(), broken); got != want || err != nil {
				t.Errorf("%s: %v %v: the document was scanned, or the header misread", expr, got,
					err)
			}
		})
	}
	w, err := where.Parse("spec.x = 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.MatchResource(k8skit.New(), broken); err == nil {
		t.Error("a broken document is asked for what is in it, without an error")
	}
}

func TestAndWhere(t *testing.T) {
	a, err := where.Parse("a = 1")
	if err != nil {
		t.Fatal(err)
	}
	b, err := where.Parse("b = 2")
	if err != nil {
		t.Fatal(err)
	}
	empty, err := where.Parse(" ")
	if err != nil {
		t.Fatal(err)
	}
	if got := where.And(nil, a, empty, b); got.String() != "a = 1 AND b = 2" {
		t.Errorf("%s", got)
	}
	either, err := where.Parse("a = 2 OR b = 2")
	if err != nil {
		t.Fatal(err)
	}
	if got := where.And(either, b).String(); got != "(a = 2 OR b = 2) AND b = 2" {
		t.Errorf("%s", got)
	}
	if where.And(nil, empty) != nil || where.And(a, nil) != a {
		t.Error("nothing and one")
	}
	both := where.And(a, b)
	docs := parseUnit(
		t,
		"apiVersion: v1\nkind: X\nmetadata: {name: x}\na: 1\nb: 2\n---\napiVersion: v1\nkind: X\n"+
			"metadata: {name: y}\na: 1\nb: 3\n",
	)
	for i, want := range []bool{true, false} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got, err := both.MatchResource(k8skit.New(), docs[i]); got != want || err != nil {
				t.Errorf("document %d: %v %v", i, got, err)
			}
		})
	}
}

func TestSelectors(t *testing.T) {
	for _, c := range []struct {
		selector where.SelectorWhere
		want     string // kinds of the resources of shop
	}{
		{where.SelectorWhere{}, "Deployment Service Role "},
		{where.SelectorWhere{Kind: "Deployment"}, "Deployment "},
		{where.SelectorWhere{Kind: "deployments"}, "Deployment "},
		{where.SelectorWhere{Kind: "deployment, role"}, "Deployment Role "},
		{where.SelectorWhere{Kind: "deployment.apps"}, "Deployment "},
		{where.SelectorWhere{Kind: "deployment.batch"}, ""},
		{where.SelectorWhere{Kind: "roles.rbac.authorization.k8s.io"}, "Role "},
		{where.SelectorWhere{Kind: "apps/v1/Deployment"}, "Deployment "},
		{where.SelectorWhere{Kind: "Dep"}, ""},
		{where.SelectorWhere{Kind: "services,ingresses,networkpolicies"}, "Service "},
		{where.SelectorWhere{Name: "web"}, "Deployment Service "},
		{where.SelectorWhere{Name: "web,reader"}, "Deployment Service Role "},
		{where.SelectorWhere{Namespace: "shop"}, "Deployment Role "},
		{where.SelectorWhere{Namespace: "sho"}, ""},
		{where.SelectorWhere{Name: "web", Namespace: "shop"}, "Deployment "},
		{where.SelectorWhere{Labels: "app=web"}, "Deployment Service "},
		{where.SelectorWhere{Labels: "app==web,tier=front"}, "Deployment "},
		{where.SelectorWhere{Labels: "tier!=front"}, "Service Role "},
		{where.SelectorWhere{Labels: "tier"}, "Deployment "},
		{where.SelectorWhere{Labels: "!tier"}, "Service Role "},
		{where.SelectorWhere{Labels: "!tier, app"}, "Service "},
		{where.SelectorWhere{Labels: "tier in (front,back)"}, "Deployment "},
		{where.SelectorWhere{Labels: "tier notin (front, back)"}, "Service Role "},
		{where.SelectorWhere{Labels: "example.com/team=7"}, "Deployment "},
		{where.SelectorWhere{Labels: "app="}, ""},
	} {
		t.Run(c.want, func(t *testing.T) {
			w, err := c.selector.Where()
			if err != nil {
				t.Errorf("%+v: %v", c.selector, err)
				return
			}
			again, err := where.Parse(w.String())
			if err != nil {
				t.Errorf("%+v: its text %s: %v", c.selector, w, err)
			}
			for _, w := range []*where.Expr{w, again} {
				got := ""
				for _, doc := range parseUnit(t, shop) {
					ok, err := w.MatchResource(k8skit.New(), doc)
					if h, _ := doc.Header(); ok && err == nil && h.Kind != "" {
						got += h.Kind + " "
					}
				}
				if got != c.want {
					t.Errorf("%+v (%s): %s, want %s", c.selector, w, got, c.want)
				}
			}
		})
	}
	for _, c := range []struct {
		selector where.SelectorWhere
		text     string
		column   int
		says     string
	}{
		{where.SelectorWhere{Kind: "Deploy'"}, "Deploy'", 7, "not a character of a kind"},
		{where.SelectorWhere{Name: "a,,b"}, "a,,b", 3, "a name is missing"},
		{where.SelectorWhere{Namespace: "a/b"}, "a/b", 2, "not a character of a namespace"},
		{where.SelectorWhere{Labels: "a=b,"}, "a=b,", 5, "a label key is missing"},
		{where.SelectorWhere{Labels: "a b"}, "a b", 3, "b is not an operator"},
		{where.SelectorWhere{Labels: "a in b"}, "a in b", 6, "( is expected"},
		{where.SelectorWhere{Labels: "a in (b"}, "a in (b", 8, ", or ) is expected"},
		{where.SelectorWhere{Labels: "a>1"}, "a>1", 2, "=, !=, in and notin"},
		{where.SelectorWhere{Labels: "a=b c"}, "a=b c", 5, "a comma is expected"},
		{where.SelectorWhere{Labels: "a/b/c=d"}, "a/b/c=d", 1, "a/b/c is not a label key"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Run(c.text, func(t *testing.T) {
				_, err := c.selector.Where()
				e, ok := errors.AsType[*where.Error](err)
				if !ok || e.Text != c.text || e.Column != c.column ||
					!strings.Contains(e.Msg, c.says) {
					t.Errorf("%+v: %#v", c.selector, err)
				}
			})
		})
	}
}

func FuzzParseWhere(f *testing.F) {
	for _, seed := range []string{
		"a = 1", "a.b != 'x' AND c IN ('a', 2)", "a.*.|b.c != true",
		"ConfigHub.ResourceType NOT LIKE '%x_'", "a~1b#c !~* 'x'", "a IS NOT NULL",
		"a.?k:p=v.b<=3", "a.*?k:p.b>'x'", "é", "a = 'é' AND", "a.*@:p ~~ ''", "a IN (", "a.123 = 4",
		"a.1x = 4", "a = 1 OR (b = 2 AND c = 3)", "((a = 1)OR b = 2)",
	} {
		f.Add(seed)
	}
	docs, err := gaby.ParseAll([]byte(shop))
	if err != nil {
		f.Fatal(err)
	}
	provider := k8skit.New()
	f.Fuzz(func(t *testing.T, text string) {
		w, err := where.Parse(text)
		if err != nil {
			e, ok := errors.AsType[*where.Error](err)
			if !ok || e.Column < 1 || e.Column > utf8.RuneCountInString(text)+1 {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		if _, err := where.Parse(w.String()); err != nil {
			t.Fatalf("%q: does not parse again: %v", text, err)
		}
		matches := map[string]bool{}
		for i, doc := range docs {
			ok, err := w.MatchResource(provider, doc)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			matches[fmt.Sprint(i)] = ok
		}
		if w2, err := where.Parse("(" + text + ") AND metadata.name IS NOT NULL"); err == nil &&
			strings.TrimSpace(text) != "" {
			for i, doc := range docs {
				if ok, _ := w2.MatchResource(provider, doc); ok != matches[fmt.Sprint(i)] {
					t.Fatalf(
						"%q: document %d: %v, with a term that is always true %v", text, i,
						matches[fmt.Sprint(i)], ok,
					)
				}
			}
		}
	})
}

func parseUnit(t *testing.T, text string) gaby.Container {
	t.Helper()
	docs, err := gaby.ParseAll([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}
