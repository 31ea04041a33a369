package archive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/objects"
)

// Listed is an object, or a store of a binding, that a cluster keeps.
type Listed struct {
	// Namespace is the unique key, Name empty if the object was not made by a name.
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
	// Node is the name of the node that has the object, "" if none has.
	Node string `json:"node,omitempty"`
	// Bytes are those of its database, with the log, and without its facets.
	Bytes int64      `json:"bytes"`
	Alarm *time.Time `json:"alarm,omitempty"`
}

// Objects lists the objects that have something stored, by namespace and id, as of one moment, wherever they are.
// Stores of bindings and facets are left out. It is one query, however many shards there are.
func Objects(ctx context.Context, from engine.Archive) ([]Listed, error) {
	return list(ctx, from, "objects", func(o objects.Stored) bool {
		return !o.IsStore() && storage.ObjectOf(o.ID) == o.ID
	})
}

// Stores lists the stores of bindings that have something stored, as Objects does: KV namespaces, D1 databases, R2
// buckets, stores of secrets, workflows, vector indexes and pipelines. Namespace is the kind and the unique key, with a
// slash between; Bytes are those of the store's file, without values that lie beside it.
func Stores(ctx context.Context, from engine.Archive) ([]Listed, error) {
	return list(ctx, from, "stores", func(o objects.Stored) bool { return o.IsStore() })
}

func list(ctx context.Context, from engine.Archive, what string, wanted func(objects.Stored) bool) (
	all []Listed, err error) {
	err = from.Snapshot(ctx, func(c engine.Contents) error {
		shards := c.Shards()
		return objects.ListAll(ctx, c, func(shard int, o objects.Stored) {
			if !wanted(o) {
				return
			}
			l := Listed{Namespace: o.Key, ID: o.ID, Name: o.Name, Node: shards[shard].Owner.Name(), Bytes: o.Bytes()}
			if !o.Alarm.IsZero() {
				at := o.Alarm.UTC()
				l.Alarm = &at
			}
			all = append(all, l)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the %s: %w", what, err)
	}
	slices.SortFunc(all, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}
