package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/internal/runner/kube"
	"github.com/fctl-dev/fctl/internal/runtime/functionconfig"
)

// configSources are the values of --function-configs: paths, and kube:[NAMESPACE].
type configSources struct {
	values []string
	prefix string // the default prefix
	every  time.Duration
	order  []functionconfig.ExecutorKind
}

// configs keeps the set of FunctionConfigs up to date.
type configs struct {
	program *program
	prefix  string
	kinds   []functionconfig.ExecutorKind // in the order in which they are tried
	cache   *functionconfig.Cache
	// changed is called with each new set, by one goroutine at a time.
	changed func(*functionconfig.Set)

	mu      sync.Mutex
	files   []*functionconfig.Config
	cluster map[string][]*functionconfig.Config // by value of --function-configs
	order   []string
}

// load reads all sources and, unless once is set, goes on until ctx ends. An error in a file ends
// the start; later the last objects without errors stay.
func (p *program) load(ctx context.Context, o configSources, cluster *clusterOptions, once bool,
	changed func(*functionconfig.Set),
) (*configs, error) {
	c := &configs{
		program: p, prefix: o.prefix, kinds: o.order, changed: changed,
		cluster: map[string][]*functionconfig.Config{},
	}
	empty, _ := functionconfig.NewSet(nil, o.prefix)
	c.cache = functionconfig.NewCache(empty)
	var paths []string
	for _, v := range o.values {
		if _, ok := strings.CutPrefix(v, "kube:"); !ok {
			paths = append(paths, v)
		} else if !slices.Contains(c.order, v) {
			c.order = append(c.order, v)
		}
	}
	name := func(path string) string { return path }
	// Taken before the files are read, so that a change in between is seen.
	seen := functionconfig.Fingerprint(paths, name)
	files, problems := functionconfig.Read(paths, name)
	for i := range problems {
		p.say("%s", problems[i].Error())
	}
	if len(functionconfig.Errors(problems)) > 0 {
		return nil, &statusError{statusUsage, errors.New("the FunctionConfigs have errors"), ""}
	}
	c.files = files
	for _, v := range c.order {
		if err := c.watchCluster(ctx, v, cluster, once); err != nil {
			return nil, err
		}
	}
	c.swap()
	if once || len(paths) == 0 {
		return c, nil
	}
	go functionconfig.Watch(ctx, paths, name, seen, o.every,
		func(files []*functionconfig.Config, problems []functionconfig.Problem) {
			for i := range problems {
				p.say("%s", problems[i].Error())
			}
			if len(functionconfig.Errors(problems)) > 0 {
				p.say("the files have errors; the FunctionConfigs before stay in use")
				return
			}
			c.mu.Lock()
			c.files = files
			c.mu.Unlock()
			c.swap()
		})
	return c, nil
}

// watchCluster reads the objects of a cluster, and again when they change.
func (c *configs) watchCluster(ctx context.Context, value string, cluster *clusterOptions,
	once bool,
) error {
	config, _, err := cluster.restConfig(c.program)
	if err != nil {
		return err
	}
	source, err := kube.NewConfigs(config, strings.TrimPrefix(value, "kube:"))
	if err != nil {
		return err
	}
	if once {
		objects, err := source.List(ctx)
		if err != nil {
			return err
		}
		c.cluster[value], _ = parse(objects)
		return nil
	}
	first := true
	return source.Watch(ctx, c.program.say, func(objects []kube.Object) {
		found, problems := parse(objects)
		c.mu.Lock()
		c.cluster[value] = found
		c.mu.Unlock()
		var doubled map[string]string
		if !first { // the first time all sources are read before a set is made
			doubled = c.swap()
		}
		first = false
		for i := range objects {
			o := &objects[i]
			problem := problems[o.Key()]
			if problem == "" {
				problem = doubled[o.Key()]
			}
			if problem != "" && (o.Problem != problem || o.Observed != o.Generation) {
				c.program.say("%s: %s", o.Key(), problem)
			}
			if err := source.SetStatus(ctx, o, problem); err != nil && ctx.Err() == nil {
				c.program.say("%v", err)
			}
		}
	})
}

// parse reads objects of a cluster. The problems are by the key of the object.
func parse(objects []kube.Object) ([]*functionconfig.Config, map[string]string) {
	var found []*functionconfig.Config
	problems := map[string]string{}
	for i := range objects {
		o := &objects[i]
		configs, all := functionconfig.Parse(o.JSON, o.Key())
		found = append(found, configs...)
		var texts []string
		for _, p := range functionconfig.Errors(all) {
			text := p.Message
			if p.Field != "" {
				text = p.Field + ": " + text
			}
			texts = append(texts, text)
		}
		if len(texts) > 0 {
			problems[o.Key()] = strings.Join(texts, "; ")
		}
	}
	return found, problems
}

// swap makes a set of all sources and puts it in use. It returns, by key, which objects are not
// used because another one has the same image.
func (c *configs) swap() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.files)
	for _, v := range c.order {
		all = append(all, c.cluster[v]...)
	}
	set, problems := functionconfig.NewSet(all, c.prefix, c.kinds...)
	doubled := map[string]string{}
	for i := range problems {
		p := &problems[i]
		doubled[p.Pos.File] = p.Message
		c.program.say("%s", p.Error())
	}
	c.cache.Swap(set)
	if c.changed != nil {
		c.changed(set)
	}
	return doubled
}

// count says how many objects are in use.
func (c *configs) count() string {
	n := len(c.cache.Set().Configs())
	if n == 1 {
		return "1 FunctionConfig"
	}
	return fmt.Sprintf("%d FunctionConfigs", n)
}
