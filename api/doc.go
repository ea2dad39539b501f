// Package api holds the data types that travel: signatures, invocations, requests, responses, attributes, validation
// results, resources and mutations.
//
// The rules of this room:
//   - Types have no behaviour beyond marshalling, unmarshalling and printing themselves.
//   - It imports nothing of this module, so that configkit and the functions can both speak it.
//   - The order of the fields of a struct is the order in which JSON prints them, and it is part of the contract.
//   - Fields and types that only make sense inside one process are marked json:"-".
package api
