// Package yamlpath compiles paths, resolves them in documents, and names positions in documents by paths.
//
// # The path language
//
//	Path     = Segments [ "#" EmbeddedPath ] .       everything after the first "#" belongs to the accessor
//	Segments = Segment { "." Segment } .
//	Segment  = [ "|" ] Plain                         "|": from here on things may be missing, before it nothing may
//	         | "*"                                   every map value or list element
//	         | "*?" Key [ ":" Param ] [ "=" Value ]  the same, binding child[Key]; with =Value only those where it is Value
//	         | "*@:" Param                           every map value, binding the key
//	         | "@" Key ":" Param                     one map key, bound to Param
//	         | "?" Key [ ":" Param ] "=" Match .     the first list element with that Key
//	Match    = "*" | "@" Index | Value [ ";@" Index ] .
//	Plain    = a map key, or a decimal list index .
//
// A path is split at its dots; then "~1" stands for a dot and "~0" for a tilde. "%s" in a segment is filled from the
// arguments of a function; the argument "*" makes ?Key:Param=%s the wildcard *?Key:Param. Where the elements of a list are texts
// and the path has an accessor, Key is a part of the text: args.?flag=verbose#value.
//
// A path is compiled once per call (Parse) and resolved against as many documents as there are. Resolving yields places in
// document order. What is missing is not an error: a reader skips it, an upserting writer creates plain segments, maps for
// missing parents included; list elements are never created, and behind a "#" nothing is. A constraint, another path, names for
// each segment the one child that is followed, so that a registered path with its parameters can be used at a single index.
//
// Results call the elements of a list with a merge key by it, ?name=web, as long as that leads back to the same element, and
// all others by their index.
//
// An Accessor reads and writes the part of a value that a "#" asks for.
//
// # Invariants
//
//   - A Path is immutable and can be used concurrently.
//   - Resolving compiles, decodes and allocates nothing per visited node.
package yamlpath
