// Command yardstick has an init that costs about as much as one package may, by which the speed of
// a machine is measured.
package main

import "regexp"

var expressions = compile()

func compile() []*regexp.Regexp {
	var all []*regexp.Regexp
	for range 12 {
		all = append(all,
			regexp.MustCompile(
				`^(?P<registry>[A-Za-z0-9.-]+(?::[0-9]+)?/)?(?P<path>[a-z0-9]+(?:[._-][a-z0-9]+)*)(?P<tag>:\w[\w.-]*)?$`))
	}
	return all
}

func main() { println(len(expressions)) }
