package objects

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"eddy/runtime/cluster/engine"
)

// marks, under "m/<name>" of the first shard, are the numbers of what was done once in the cluster.
const marks = "m/"

// Once tells whether the caller is the one, of all nodes, that does a numbered thing: the node that has the first
// shard, once the number is kept there, and only if it is above those that were kept before. It waits while the
// shard is elsewhere, which may be on a node that is lost, until ctx ends. A node that is lost right after it was
// told true has done it or not; nobody else does.
func (x *Shipped) Once(ctx context.Context, name string, number int64) bool {
	for {
		changed := x.node.Changed()
		x.mu.Lock()
		o := x.shards[0]
		x.mu.Unlock()
		if o != nil {
			if mine, settled := o.mark(name, number); settled {
				return mine
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// mark keeps a number. settled is false if the shard is not here any more, or not yet.
func (o *owned) mark(name string, number int64) (mine, settled bool) {
	o.mu.Lock()
	if !o.ready || o.over {
		o.mu.Unlock()
		return false, false
	}
	if number <= o.marks[name] {
		o.mu.Unlock()
		return false, true
	}
	o.marks[name] = number
	o.mu.Unlock()
	kept := make(chan error, 1)
	put := engine.Put{Key: engine.Key(marks + name), Value: engine.Value{Data: strconv.AppendInt(nil, number, 10),
		Number: o.shard.Number()}}
	o.shard.Commit(engine.Batch{Puts: []engine.Put{put}}, func(err error) { kept <- err })
	err := <-kept
	return err == nil, err == nil
}

// readMarks reads what earlier owners of the first shard have done.
func (o *owned) readMarks() (map[string]int64, error) {
	all := engine.Prefix(marks)
	found := map[string]int64{}
	err := o.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, v engine.Value) error {
		n, err := strconv.ParseInt(string(v.Data), 10, 64)
		if err != nil {
			return &recordError{fmt.Sprintf("the mark %s cannot be read: %v", k, err)}
		}
		found[strings.TrimPrefix(string(k), marks)] = n
		return nil
	})
	return found, err
}
