// Package compare is the commands that compare configuration: diff, and review of what a change in
// git does.
//
// Layer: commands.
package compare
