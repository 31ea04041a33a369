package objectjs

import (
	"context"
	"errors"
)

// key is the unique key of a class's namespace.
func (o *Objects) key(c Class) string {
	if o.opts.Key != nil {
		if key := o.opts.Key(c.Worker, c.Name); key != "" {
			return key
		}
	}
	return c.UniqueKey()
}

// Declare makes the namespace of a class known, before the Worker that exports it is attached. Declaring again changes
// SQL, and the class when a migration renamed or transferred it: its objects, sockets and waiting events stay. Not on a
// loop goroutine.
func (o *Objects) Declare(c Class) error {
	n := o.namespace(c, false)
	if n.class.Worker != c.Worker || n.class.Name != c.Name {
		var err error
		if n, err = o.replace(n, c); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.class.SQL, n.declared = c.SQL, true
	return nil
}

// replace puts another class's namespace in the place of n, with what waits there.
func (o *Objects) replace(n *namespace, c Class) (*namespace, error) {
	err := n.detach(context.Background(), nil)
	next := &namespace{objs: o, class: c, key: n.key}
	o.mu.Lock()
	o.mu.namespaces[n.key] = next
	o.mu.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	next.changing, next.waiting, next.parked, next.seen = n.changing, n.waiting, n.parked, n.seen
	n.moved, n.declared, n.changing, n.waiting, n.parked = next, false, false, nil, nil
	return next, err
}

// Forget ends the namespaces of a Worker's classes that are not among those kept: a migration deleted them, or the
// configuration no longer names them. Call it while the Worker is detached.
func (o *Objects) Forget(worker string, kept []string) error {
	keep := map[string]bool{}
	for _, class := range kept {
		keep[class] = true
	}
	var errs []error
	for _, n := range o.of(worker) {
		if keep[n.class.Name] {
			continue
		}
		errs = append(errs, n.detach(context.Background(), nil))
		n.mu.Lock()
		n.declared, n.seen = false, false
		n.mu.Unlock()
		n.end()
	}
	return errors.Join(errs...)
}
