package mutation_test

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

const thing = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  size: 1 # small\n"

// Compute says what differs, and Patch applies it to a variant.
func Example() {
	before, err := gaby.ParseAll([]byte(thing))
	if err != nil {
		panic(err)
	}
	after, err := gaby.ParseAll([]byte("apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec:\n" +
		"  size: 2\n"))
	if err != nil {
		panic(err)
	}
	list, err := mutation.Compute(before, after, 0, k8skit.K8sResourceProvider)
	if err != nil {
		panic(err)
	}
	for path, m := range list[0].PathMutationMap {
		fmt.Printf("%s %s %q\n", path, m.MutationType, m.Value)
	}
	patched, _, err := mutation.Patch(before, nil, list, nil, k8skit.K8sResourceProvider)
	if err != nil {
		panic(err)
	}
	fmt.Print(patched)
	// Output:
	// spec.size Update "2\n"
	// apiVersion: v1
	// kind: Thing
	// metadata: {name: a}
	// spec:
	//   size: 2 # small
}

func ExampleMerge() {
	parse := func(size, color string) gaby.Container {
		text := "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec: {size: " + size +
			", color: " + color + "}\n"
		docs, err := gaby.ParseAll([]byte(text))
		if err != nil {
			panic(err)
		}
		return docs
	}
	base, source, target := parse("1", "red"), parse("2", "red"), parse("1", "blue")
	merged, err := mutation.Merge(base, source, target, k8skit.K8sResourceProvider,
		mutation.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(merged.Docs)
	// Output:
	// apiVersion: v1
	// kind: Thing
	// metadata: {name: a}
	// spec: {size: 2, color: blue}
}

func ExamplePlainPath() {
	fmt.Println(mutation.PlainPath("spec.containers.?name=a;@b;@0.args.?~h=1b9d3f0c;@2"))
	// Output: spec.containers.?name=a;@b.args.2
}

// DiffPatch carries a change from one variant to another: the change of the image reaches the
// target, whose own size stays.
func ExampleDiffPatch() {
	parse := func(image, size string) gaby.Container {
		docs, err := gaby.ParseAll([]byte("apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n" +
			"spec: {image: " + image + ", size: " + size + "}\n"))
		if err != nil {
			panic(err)
		}
		return docs
	}
	patched, conflicts, err := mutation.DiffPatch(parse("shop:1", "1"), parse("shop:2", "1"),
		parse("shop:1", "9"), k8skit.K8sResourceProvider)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%sconflicts: %d\n", patched, len(conflicts))
	// Output:
	// apiVersion: v1
	// kind: Thing
	// metadata: {name: a}
	// spec: {image: shop:2, size: 9}
	// conflicts: 0
}

// Changes gives each value that differs a place in the texts.
func ExampleChanges() {
	before, err := gaby.ParseAll([]byte(thing))
	if err != nil {
		panic(err)
	}
	after, err := gaby.ParseAll([]byte(thing))
	if err != nil {
		panic(err)
	}
	if _, err := after[0].SetP(2, "spec.size"); err != nil {
		panic(err)
	}
	provider := k8skit.K8sResourceProvider
	list, err := mutation.Compute(before, after, 0, provider)
	if err != nil {
		panic(err)
	}
	changes, err := mutation.Changes(list, before, after, provider)
	if err != nil {
		panic(err)
	}
	for _, c := range changes {
		fmt.Printf("%s %s %s %q\n", c.Position, c.Mutation.MutationType, c.Path, c.Mutation.Value)
	}
	// Output:
	// 5:3 Update spec.size "2\n"
}

// Equal ignores layout, comments and the order of lists whose elements have merge keys.
func ExampleEqual() {
	docs := func(text string) gaby.Container {
		docs, err := gaby.ParseAll([]byte(text))
		if err != nil {
			panic(err)
		}
		return docs
	}
	equal, err := mutation.Equal(docs(thing), docs("# the same\n"+
		"{apiVersion: v1, kind: Thing, metadata: {name: a}, spec: {size: 1}}\n"),
		k8skit.K8sResourceProvider)
	fmt.Println(equal, err)
	// Output:
	// true <nil>
}
