// Package api holds the data types that programs exchange: signatures, invocations, requests,
// responses, attributes, validation results, resources and mutations.
//
// The rules of this package:
//   - Types have small methods only: those that read and write JSON, put a value in words (String,
//     Error, Message, Text), look something up in it, or collect what a function reports
//     (FunctionContext).
//   - It imports nothing else of this module, so that configkit and the functions can both use it.
//   - The order of the fields of a struct is the order in which JSON prints them, and it is part of
//     the contract.
//   - Fields marked json:"-" are not exchanged. Most are texts for people, who read them where the
//     value was made (Name, Message, Severity, Reason, Locations, Previous, Appended). JSON says
//     FunctionInvocationResponse.Changed by the presence of ConfigData.
//   - Failure, Note and Report are what a run reports to the program that started it, in Go only.
//
// Layer: api.
package api
