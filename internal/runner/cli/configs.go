package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/kube"
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
	cache   *functionconfig.Cache
	hooks   configHooks

	mu       sync.Mutex
	ready    bool // all sources were read once; before that no set is made
	files    []functionconfig.Part
	clusters []*clusterConfigs
	said     map[string]bool // the problems of the last time
	used     string          // what count returned then, "" before the first time
}

// configHooks connect the set to the rest of the runner. Each may be nil.
type configHooks struct {
	// check returns why an object cannot be used, as far as that is known without a request.
	check func(*functionconfig.Config) error
	// changed is called with each new set, by one goroutine at a time.
	changed func(*functionconfig.Set)
	// reloaded is called with the numbers of objects in use, of those that stay as they were, and of
	// errors.
	reloaded func(used, stay, errs int)
}

// clusterConfigs are the objects that one value of --function-configs names.
type clusterConfigs struct {
	source  *kube.Configs
	objects []kube.ConfigObject
}

// load reads all sources and, unless once is set, goes on until ctx ends. An object with errors is
// not used; if it was used before, it stays as it was.
func (p *program) load(ctx context.Context, o configSources, cluster *clusterOptions, once bool,
	hooks configHooks,
) (*configs, error) {
	empty, _ := functionconfig.NewSet(nil, o.prefix, o.order...)
	c := &configs{program: p, cache: functionconfig.NewCache(empty), hooks: hooks}
	var paths, names []string
	for _, v := range o.values {
		namespace, ok := strings.CutPrefix(v, "kube:")
		switch {
		case ok && !slices.Contains(names, namespace):
			names = append(names, namespace)
		case !ok:
			if _, err := os.Stat(v); err != nil {
				return nil, diag.Usage("--function-configs: %v", err)
			}
			paths = append(paths, v)
		}
	}
	name := func(path string) string { return path }
	// Taken before the files are read, so that a change in between is seen.
	seen := functionconfig.Fingerprint(paths, name)
	c.files = functionconfig.ReadParts(paths, name)
	for _, namespace := range names {
		if err := c.watchCluster(ctx, namespace, cluster, once); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	c.ready = true
	c.mu.Unlock()
	c.refresh(ctx)
	if once && len(functionconfig.Errors(functionconfig.Problems(c.files))) > 0 {
		return nil, diag.Usage("FunctionConfigs have errors")
	}
	if !once && len(paths) > 0 {
		go functionconfig.Watch(ctx, paths, name, seen, o.every,
			func(files []functionconfig.Part) {
				c.mu.Lock()
				c.files = files
				c.mu.Unlock()
				c.refresh(ctx)
			})
	}
	return c, nil
}

// watchCluster reads the objects of a namespace, and again when they change.
func (c *configs) watchCluster(ctx context.Context, namespace string, cluster *clusterOptions,
	once bool,
) error {
	config, _, err := cluster.restConfig(c.program)
	if err != nil {
		return err
	}
	source, err := kube.NewConfigs(config, namespace)
	if err != nil {
		return err
	}
	own := &clusterConfigs{source: source}
	c.clusters = append(c.clusters, own)
	if once {
		own.objects, err = source.List(ctx)
		return err
	}
	return source.Watch(ctx, c.program.Say, func(objects []kube.ConfigObject) {
		c.mu.Lock()
		own.objects = objects
		c.mu.Unlock()
		c.refresh(ctx)
	})
}

// refresh makes a set of all sources and puts it in use. It reports unusable objects to the user
// and in their status.
func (c *configs) refresh(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready {
		return
	}
	parts := slices.Clone(c.files)
	objects := c.objects()
	for _, o := range objects {
		parts = append(parts, functionconfig.ParseObject(o.object.JSON, o.object.Key()))
	}
	set, problems := c.cache.Set().Next(parts, c.hooks.check)
	c.cache.Swap(set)
	if c.hooks.changed != nil {
		c.hooks.changed(set)
	}
	if c.hooks.reloaded != nil {
		c.hooks.reloaded(len(set.Configs()), len(set.Stays()), len(functionconfig.Errors(problems)))
	}
	said := map[string]bool{}
	say := func(text string) {
		if !c.said[text] && !said[text] {
			c.program.Say("%s", text)
		}
		said[text] = true
	}
	verdicts := map[string]*kube.Verdict{} // by file, or key
	of := func(key string) *kube.Verdict {
		if verdicts[key] == nil {
			verdicts[key] = &kube.Verdict{}
		}
		return verdicts[key]
	}
	for i := range problems {
		p := &problems[i]
		say(p.Error())
		if p.Warning {
			continue
		}
		v := of(p.Pos.File)
		if v.Problem != "" {
			v.Problem += "; "
		}
		v.Problem += p.Message
		v.Reason = cmp.Or(v.Reason, string(p.Reason))
	}
	for _, f := range set.Configs() {
		v := of(f.Pos.File)
		v.InUse, v.Generation = true, f.Generation
	}
	for _, o := range objects {
		key := o.object.Key()
		v := of(key)
		if v.Problem != "" && v.InUse && v.Generation != o.object.Generation {
			say(fmt.Sprintf("%s: generation %d stays in use", key, v.Generation))
		}
		if err := o.source.SetStatus(ctx, o.object, *v); err != nil && ctx.Err() == nil {
			c.program.Say("%v", err)
		}
	}
	sayStays(set, say)
	used := c.count()
	switch {
	case c.used != "" && used != c.used:
		c.program.Say("now %s", used)
	case len(c.said) > 0 && len(said) == 0:
		c.program.Say("all FunctionConfigs can be used again")
	}
	c.said, c.used = said, used
}

// sayStays says which objects of files stay as they were: a line for a file. The status of an object
// of a cluster says it.
func sayStays(set *functionconfig.Set, say func(string)) {
	files, count := []string(nil), map[string]int{}
	first := map[string]string{}
	for _, f := range set.Stays() {
		file := f.Pos.File
		if f.Pos.Line == 0 {
			continue
		}
		if count[file]++; count[file] == 1 {
			files, first[file] = append(files, file), f.Name
		}
	}
	for _, file := range files {
		text := file + ": " + functionconfig.Kind + "/" + first[file]
		if n := count[file] - 1; n > 0 {
			say(fmt.Sprintf("%s and %d more stay as they were", text, n))
		} else {
			say(text + " stays as it was")
		}
	}
}

// clusterObject is an object and where its status is written.
type clusterObject struct {
	source *kube.Configs
	object *kube.ConfigObject
}

// objects returns the objects of all clusters, the oldest first. Two values of --function-configs
// may name the same one.
func (c *configs) objects() []clusterObject {
	var all []clusterObject
	known := map[string]bool{}
	for _, cluster := range c.clusters {
		for i := range cluster.objects {
			o := &cluster.objects[i]
			if !known[o.Key()] {
				all = append(all, clusterObject{cluster.source, o})
			}
			known[o.Key()] = true
		}
	}
	slices.SortStableFunc(all, func(a, b clusterObject) int {
		return kube.Older(*a.object, *b.object)
	})
	return all
}

// count says how many objects are in use.
func (c *configs) count() string {
	n := len(c.cache.Set().Configs())
	if n == 1 {
		return "1 FunctionConfig"
	}
	return fmt.Sprintf("%d FunctionConfigs", n)
}
