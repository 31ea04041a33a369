package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
)

// CodeError says that other nodes run other code than this one has.
type CodeError struct {
	Name, Code string
	Others     []engine.Seen
}

func (e *CodeError) Error() string {
	by := map[string][]string{}
	for _, n := range e.Others {
		by[n.Hash] = append(by[n.Hash], n.ID.Name())
	}
	var list []string
	for code, names := range by {
		slices.Sort(names)
		list = append(list, fmt.Sprintf("%s (%s)", strings.Join(names, ", "), code))
	}
	slices.Sort(list)
	return fmt.Sprintf("node %s has other code (%s) than %s\n"+
		"  if the new code is rolled out, start each node that has it with --rolling, one after the other\n"+
		"  else give all nodes the same code, or end those with the other code first", e.Name, e.Code,
		strings.Join(list, " and "))
}

// checkCode refuses to join a cluster whose database was put back, and nodes that run other code. Those that do not
// beat were killed: they are watched for as long as their lease lasts.
func checkCode(ctx context.Context, o Options) error {
	before, err := o.Engine.Look(ctx)
	if err != nil {
		return fmt.Errorf("look at the cluster: %w", err)
	}
	if before.Restored != "" {
		return &engine.MarkedError{Mark: before.Restored}
	}
	if o.Rolling {
		return nil
	}
	began := time.Now()
	for v := before; ; {
		e := &CodeError{Name: o.Name, Code: o.Code}
		silent, alive := false, false
		for _, n := range v.Nodes {
			if n.Hash == o.Code || n.ID.Name() == o.Name {
				continue
			}
			e.Others = append(e.Others, n)
			alive = alive || n.HasBeatSince(before)
			silent = silent || time.Since(began) < time.Duration(float64(n.Lease)*member.Patience)
		}
		if alive {
			return e
		}
		if !silent {
			return nil
		}
		select {
		case <-time.After(codePause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if next, err := o.Engine.Look(ctx); err == nil { // what is not seen is seen later
			v = next
		}
	}
}

const codePause = 200 * time.Millisecond

// tellMixedLocked is called with mu held. Nodes that start at the same moment do not see each other before they join.
func (n *Self) tellMixedLocked() {
	if n.o.Rolling || n.mixed {
		return
	}
	e := &CodeError{Name: n.o.Name, Code: n.o.Code}
	for _, other := range n.view.Nodes {
		if other.Hash != n.o.Code {
			e.Others = append(e.Others, other)
		}
	}
	if n.mixed = len(e.Others) > 0; n.mixed {
		n.o.Warn(e.Error())
	}
}
