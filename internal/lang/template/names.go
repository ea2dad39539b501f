package template

import (
	"slices"
	"text/template/parse"
)

// Names returns the parameters (.Params.name) and the fields of the function's context that the
// template names, sorted. Names that the template computes are not known.
func (p *Program) Names() (params, context []string) {
	note := func(fields []string) {
		switch {
		case len(fields) == 0:
		case fields[0] != "Params":
			context = append(context, fields[0])
		case len(fields) > 1:
			params = append(params, fields[1])
		}
	}
	for _, t := range p.template.Templates() {
		if t.Tree != nil {
			walk(t.Root, note)
		}
	}
	slices.Sort(params)
	slices.Sort(context)
	return slices.Compact(params), slices.Compact(context)
}

// walk calls note for the fields of the template's data that are named at or below a node. Inside
// with and range the dot means something else, but no part of it is called Params.
func walk(node parse.Node, note func(fields []string)) {
	pipes := func(nodes ...parse.Node) {
		for _, n := range nodes {
			walk(n, note)
		}
	}
	branch := func(b *parse.BranchNode) {
		pipes(b.Pipe, b.List)
		if b.ElseList != nil {
			walk(b.ElseList, note)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		pipes(n.Nodes...)
	case *parse.ActionNode:
		walk(n.Pipe, note)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			walk(n.Pipe, note)
		}
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			pipes(c.Args...)
		}
	case *parse.ChainNode:
		walk(n.Node, note)
	case *parse.FieldNode:
		note(n.Ident)
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			note(n.Ident[1:])
		}
	}
}
