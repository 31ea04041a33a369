package archive

import (
	"context"
	"testing"

	"eddy/runtime/cluster/engine"
)

// counting counts how often its contents are read.
type counting struct {
	engine.Archive
	all, one *int
}

type countingContents struct {
	engine.Contents
	counting
}

func (c counting) Snapshot(ctx context.Context, fn func(engine.Contents) error) error {
	return c.Archive.Snapshot(ctx, func(kept engine.Contents) error { return fn(countingContents{kept, c}) })
}

func (c countingContents) Read(
	ctx context.Context, shard int, from, to engine.Key, fn func(engine.Key, engine.Value) error,
) error {
	*c.one++
	return c.Contents.Read(ctx, shard, from, to, fn)
}

func (c countingContents) ReadAll(
	ctx context.Context, r engine.Range, fn func(int, engine.Key, engine.Value) error,
) error {
	*c.all++
	return c.Contents.ReadAll(ctx, r, fn)
}

// A list of objects is one read, however many shards there are, and has what each of them keeps.
func TestObjectsAreOneRead(t *testing.T) {
	e := engine.NewMemory(shards + 1)
	_, err := Import(t.Context(), e, shards, directory(t), false)
	check(t, err)
	c := counting{e, new(int), new(int)}
	list, err := Objects(t.Context(), c)
	check(t, err)
	if *c.all != 1 || *c.one != 0 {
		t.Errorf("read all shards %d times and one of them %d times", *c.all, *c.one)
	}
	if len(list) != 6 {
		t.Fatalf("listed %+v", list)
	}
	for n, o := range list {
		if o.Namespace != key || o.ID != id(n) || o.Bytes == 0 || (o.Alarm != nil) != (n%2 == 1) {
			t.Errorf("listed %+v", o)
		}
	}
}
