package journal

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
)

// TreeNode is an event of a trace with what it caused, in the order of their starts.
type TreeNode struct {
	*Entry
	Children []*TreeNode
}

// Tree finds the trace that an id names: that of a trace, of an event or of a message, or the beginning of one. It
// returns the trace's first events, each with all that came of it, and how many traces the id names if it is not one.
// Events of other traces that have a cause in this one are in the tree as well, with what they caused.
func Tree(dir, id string, tell func(string)) (roots []*TreeNode, traces int, err error) {
	return tree(id, func(f func(*Entry) error) error {
		err := Read(dir, tell, f)
		tell = nil // it is told once
		return err
	})
}

// TreeOf is Tree of entries that come from several places.
func TreeOf(list []*Entry, id string) (roots []*TreeNode, traces int) {
	roots, traces, _ = tree(id, func(f func(*Entry) error) error {
		for _, e := range list {
			if err := f(e); err != nil {
				return err
			}
		}
		return nil
	})
	return roots, traces
}

func tree(id string, read func(func(*Entry) error) error) (roots []*TreeNode, traces int, err error) {
	id = strings.ToLower(strings.ReplaceAll(id, "-", ""))
	named := map[[16]byte]bool{}
	exact := map[[16]byte]bool{}
	if err := read(func(e *Entry) error {
		if e.Names(id) {
			named[e.Trace] = true
			if hex.EncodeToString(e.Trace[:]) == id {
				exact[e.Trace] = true
			}
		}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	if len(exact) == 1 {
		named = exact
	}
	if len(named) != 1 {
		return nil, len(named), nil
	}
	// What is linked to a trace that is taken is taken, too. It comes after its causes, so one more look is enough for
	// each step from trace to trace; entries of a trace may be written before its first one.
	for more := true; more; {
		more = false
		if err := read(func(e *Entry) error {
			for _, l := range e.Links {
				if named[l.Trace] && !named[e.Trace] {
					named[e.Trace], more = true, true
				}
			}
			return nil
		}); err != nil {
			return nil, 0, err
		}
	}
	var all []*TreeNode
	bySpan := map[[8]byte]*TreeNode{}
	if err := read(func(e *Entry) error {
		if named[e.Trace] && bySpan[e.Span] == nil {
			n := &TreeNode{Entry: e}
			all, bySpan[e.Span] = append(all, n), n
			for i := range e.Outgoing { // who gets the request has its span for a parent
				if span := e.Outgoing[i].Span; bySpan[span] == nil {
					bySpan[span] = n
				}
			}
		}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	slices.SortStableFunc(all, func(a, b *TreeNode) int { return cmp.Compare(a.At, b.At) })
	for _, n := range all {
		if above := n.above(bySpan); above != nil {
			above.Children = append(above.Children, n)
		} else {
			roots = append(roots, n)
		}
	}
	return roots, 1, nil
}

// above is the node under which n stands: its parent, else the first of its links that is there.
func (n *TreeNode) above(bySpan map[[8]byte]*TreeNode) *TreeNode {
	if above := bySpan[n.Parent]; above != nil && n.Parent != [8]byte{} && !n.reaches(above) {
		return above
	}
	for _, l := range n.Links {
		if above := bySpan[l.Span]; above != nil && !n.reaches(above) {
			return above
		}
	}
	return nil
}

// reaches tells whether a node stands under n already: what the files say must not make a ring.
func (n *TreeNode) reaches(other *TreeNode) bool {
	if n == other {
		return true
	}
	for _, c := range n.Children {
		if c.reaches(other) {
			return true
		}
	}
	return false
}
