package gaby_test

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// One value is changed; everything else is the source text.
func Example() {
	documents, err := gaby.ParseAll([]byte(`# the front door
kind: Deployment
spec:
  replicas:   3   # see the capacity sheet

  paused: false
---
kind: Service
`))
	if err != nil {
		panic(err)
	}
	for _, d := range documents {
		if h, _ := d.Header(); h.Kind != "Deployment" {
			continue // not even scanned
		}
		if _, err := d.SetP(5, "spec.replicas"); err != nil {
			panic(err)
		}
		if _, err := d.SetP("web", "metadata.labels.app~1kubernetes~1io/name"); err != nil {
			panic(err)
		}
	}
	fmt.Print(documents)
	// Output:
	// # the front door
	// kind: Deployment
	// spec:
	//   replicas:   5   # see the capacity sheet
	//
	//   paused: false
	// metadata:
	//   labels:
	//     app.kubernetes.io/name: web
	// ---
	// kind: Service
}

// Values are read through a cursor, with their places.
func ExampleValue() {
	d, err := gaby.ParseYAML([]byte(
		"ports:\n- {name: http, port: 80}\n- name: metrics\n  port: 9090 # scraped\n"))
	if err != nil {
		panic(err)
	}
	for item := d.Value().Get("ports").First(); item.Exists(); item = item.Next() {
		port := item.Get("port")
		fmt.Printf("%s %s %v %q\n", port.Position(), item.Get("name").Text(), port.Data(),
			port.Comments().Line)
	}
	// Output:
	// 2:22 http 80 ""
	// 4:9 metrics 9090 "scraped"
}

// What cannot be edited says why and where, and changes nothing.
func ExampleEditError() {
	d, err := gaby.ParseYAML([]byte("base: &base\n  cpu: 1\nuse: *base\n"))
	if err != nil {
		panic(err)
	}
	_, err = d.SetP(2, "use.cpu")
	fmt.Println(err)
	// Output:
	// 2:8: use.cpu: this value comes from an alias; it cannot be edited here
}

// All gives the entries of a map, and the elements of a list, with their indexes.
func ExampleValue_All() {
	doc, err := gaby.ParseYAML([]byte("ports: [80, 443]\nhosts: {a: 10.0.0.1, b: 10.0.0.2}\n"))
	if err != nil {
		panic(err)
	}
	for _, entry := range doc.Value().All() {
		for i, v := range entry.All() {
			fmt.Println(entry.Key(), i, v.Key(), v.Text())
		}
	}
	// Output:
	// ports 0  80
	// ports 1  443
	// hosts 0 a 10.0.0.1
	// hosts 1 b 10.0.0.2
}

// A limit ends what a hostile document would cost. The error has a position.
func ExampleWithLimits() {
	limits := gaby.DefaultLimits()
	limits.Depth = 3
	docs, err := gaby.ParseAll([]byte("a: {b: {c: {d: 1}}}\n"), gaby.WithLimits(limits))
	if err == nil {
		err = docs[0].Check()
	}
	fmt.Println(err)
	// Output:
	// 1:12: too many maps and lists inside each other
}

// Deleted documents take their separators and their own comments with them.
func ExampleContainer_Delete() {
	docs, err := gaby.ParseAll([]byte("kind: A\n---\n# about B\nkind: B\n---\nkind: C\n"))
	if err != nil {
		panic(err)
	}
	fmt.Print(docs.Delete(func(d *gaby.YamlDoc) bool {
		return d.Value().Get("kind").Text() == "B"
	}))
	// Output:
	// kind: A
	// ---
	// kind: C
}

func ExampleDotPathToSlice() {
	fmt.Printf("%q\n", gaby.DotPathToSlice("metadata.labels.app~1kubernetes~1io/name"))
	// Output:
	// ["metadata" "labels" "app.kubernetes.io/name"]
}
