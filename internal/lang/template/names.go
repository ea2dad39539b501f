package template

import (
	"slices"
	"text/template/parse"
)

// Names returns the parameters (.Params.name) and the fields of the function's context that the
// template names, sorted. Names that the template computes are not known.
func (p *Template) Names() (params, context []string) {
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
		if t.Tree == nil {
			continue
		}
		// Inside with and range the dot means something else, but no part of it is called Params.
		visit(t.Root, func(node parse.Node) {
			switch n := node.(type) {
			case *parse.FieldNode:
				note(n.Ident)
			case *parse.VariableNode:
				if n.Ident[0] == "$" {
					note(n.Ident[1:])
				}
			}
		})
	}
	slices.Sort(params)
	slices.Sort(context)
	return slices.Compact(params), slices.Compact(context)
}

// visit calls f for what a node consists of, and then for the node.
func visit(node parse.Node, f func(parse.Node)) {
	branch := func(b *parse.BranchNode) {
		visit(b.Pipe, f)
		visit(b.List, f)
		if b.ElseList != nil {
			visit(b.ElseList, f)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			visit(child, f)
		}
	case *parse.ActionNode:
		visit(n.Pipe, f)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			visit(n.Pipe, f)
		}
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			for _, arg := range c.Args {
				visit(arg, f)
			}
		}
	case *parse.ChainNode:
		visit(n.Node, f)
	}
	f(node)
}
