// Package api holds the data types that programs exchange: signatures, invocations, requests,
// responses, attributes, validation results, resources and mutations.
//
// The rules of this package:
//   - Types have no behaviour beyond marshalling, unmarshalling and printing themselves.
//   - It imports nothing else of this module, so that configkit and the functions can both use it.
//   - The order of the fields of a struct is the order in which JSON prints them, and it is part of
//     the contract.
//   - Fields and types that only make sense inside one process are marked json:"-".
package api
