// Package yamlpath compiles paths, resolves them in documents, and names positions in documents by
// paths.
//
// # The path language
//
//	Path     = Segments [ "#" EmbeddedPath ] .       all after the first "#" is for the accessor
//	Segments = Segment { "." Segment } .
//	Segment  = [ "|" ] Plain                         "|": values may be missing only from here on
//	         | "*"                                   every map value or list element
//	         | "*?" Key [ ":" Param ] [ "=" Value ]  the same, binding child[Key], if =Value matches
//	         | "*@:" Param                           every map value, binding the key
//	         | "@" Key ":" Param                     one map key, bound to Param
//	         | "?" Key [ ":" Param ] "=" Match .     the first list element with that Key
//	Match    = "*" | "@" Index | Value [ ";@" Index ] .
//	Plain    = a map key, or a decimal list index .
//
// A path is split at its dots; then "~1" is a dot and "~0" a tilde. "%s" in a segment is filled
// from the arguments of a function; the argument "*" turns ?Key:Param=%s into the wildcard
// *?Key:Param. If the elements of a list are strings and the path has an accessor, Key is a part of
// the string: args.?flag=verbose#value.
//
// A path is compiled once per call (Parse) and resolved against any number of documents. Resolving
// yields matches in document order. A missing value is not an error: a reader skips it, and an
// upserting writer creates plain segments, including maps for missing parents. List elements and
// parts after a "#" are never created. A constraint is another path that names, for each segment,
// the only child to follow; so a registered path with parameters can be used at a single index.
//
// Results address the elements of a list with a merge key by that key, ?name=web, if it leads back
// to the same element, and all others by their index.
//
// An Accessor reads and writes the part of a value that follows a "#".
//
// # Invariants
//
//   - A Path is immutable and can be used concurrently.
//   - Resolving compiles, decodes and allocates nothing per visited node.
//
// Layer: knowledge.
package yamlpath
