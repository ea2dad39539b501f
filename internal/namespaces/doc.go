// Package namespaces gives the resources of a unit another namespace, together with all that names
// it: references, DNS names of Services, and the Namespace itself. It serves the functions
// set-namespace and ensure-namespaces.
//
// A unit of many resources is moved in parts, side by side. What only all of them can say, for
// example that two resources would have the same name, is checked by Join.
//
// Layer: functions.
package namespaces
