package sharing

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/archive"
	"eddy/runtime/control"
)

// AwayObjects are the Durable Objects of a cluster, on whichever nodes they are. It implements
// [control.ObjectInspector], [control.ObjectFinder] and [control.AlarmInspector]. Any goroutine.
type AwayObjects struct {
	// Kept lists the objects that have something stored.
	Kept func(context.Context) ([]archive.Listed, error)
	// Way is the way to an object.
	Way func(objectstore.Name) objectstore.Way
	// Served are the namespaces of the Workers, which may have no object.
	Served []string
}

// objectAsk is a call about an object as it crosses nodes.
type objectAsk struct {
	Op     string       `json:"op"`
	Prefix string       `json:"prefix,omitempty"`
	Limit  int          `json:"limit,omitempty"`
	SQL    *control.SQL `json:"sql,omitempty"`
	Force  bool         `json:"force,omitempty"`
}

// found is the answer to a find.
type found struct {
	Object control.Object `json:"object"`
	OK     bool           `json:"ok"`
}

// maxObjectAnswer bounds an answer about an object, in bytes.
const maxObjectAnswer = 256 << 20

// ask makes a call, and reads the answer into told.
func (a AwayObjects) ask(key, id string, q objectAsk, reads bool, told any) error {
	way := a.Way(objectstore.Name{Kind: objectstore.Objects, ID: key + "/" + id})
	text, err := objectstore.Whole(way, q, nil, reads, &struct{}{}, maxObjectAnswer)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a row may have integers that no float has
	return d.Decode(told)
}

func (a AwayObjects) of(x control.Object, q objectAsk, reads bool, told any) error {
	return a.ask(x.Namespace, x.ID, q, reads, told)
}

// Namespaces implements [control.ObjectInspector].
func (a AwayObjects) Namespaces(ctx context.Context) ([]string, error) {
	all, err := a.Kept(ctx)
	keys := slices.Clone(a.Served)
	for _, o := range all {
		keys = append(keys, o.Namespace)
	}
	slices.Sort(keys)
	return slices.Compact(keys), err
}

// List implements [control.ObjectInspector]. What is in memory only is not in the list.
func (a AwayObjects) List(ctx context.Context, namespace string) (list []control.Object, err error) {
	all, err := a.Kept(ctx)
	for _, o := range all {
		if o.Namespace == namespace {
			list = append(list, control.Object{Namespace: o.Namespace, ID: o.ID, Name: o.Name, Bytes: o.Bytes,
				Alarm: o.Alarm, Node: o.Node})
		}
	}
	return list, err
}

// Find implements [control.ObjectFinder].
func (a AwayObjects) Find(ctx context.Context, namespace, id string) (x control.Object, ok bool, err error) {
	list, err := a.List(ctx, namespace)
	if err != nil {
		return x, false, err
	}
	for _, x := range list {
		if x.ID == id {
			return x, true, nil
		}
	}
	var told found // it may be in memory only
	err = a.ask(namespace, id, objectAsk{Op: "find"}, true, &told)
	return told.Object, told.OK, err
}

// Alarms implements [control.ObjectFinder].
func (a AwayObjects) Alarms(ctx context.Context, namespace string) ([]control.Object, error) {
	all, err := a.List(ctx, namespace)
	return slices.DeleteFunc(all, func(x control.Object) bool { return x.Alarm == nil }), err
}

// Show implements [control.ObjectInspector].
func (a AwayObjects) Show(_ context.Context, x control.Object) (d control.ObjectDetail, err error) {
	err = a.of(x, objectAsk{Op: "show"}, true, &d)
	// A node that has taken the object over knows these by the database alone.
	d.Name, d.Bytes = cmp.Or(d.Name, x.Name), max(d.Bytes, x.Bytes)
	if d.Alarm == nil {
		d.Alarm = x.Alarm
	}
	return d, err
}

// Values implements [control.ObjectInspector].
func (a AwayObjects) Values(_ context.Context, x control.Object, prefix string, limit int) (
	list []control.StoredValue, err error) {
	return list, a.of(x, objectAsk{Op: "values", Prefix: prefix, Limit: limit}, true, &list)
}

// Query implements [control.ObjectInspector].
func (a AwayObjects) Query(_ context.Context, x control.Object, q control.SQL) (rows control.Rows, err error) {
	return rows, a.of(x, objectAsk{Op: "query", SQL: &q}, !q.Write, &rows)
}

// Evict implements [control.ObjectInspector].
func (a AwayObjects) Evict(_ context.Context, x control.Object, force bool) (was bool, err error) {
	return was, a.of(x, objectAsk{Op: "evict", Force: force}, false, &was)
}

// Delete implements [control.ObjectInspector].
func (a AwayObjects) Delete(_ context.Context, x control.Object) error {
	return a.of(x, objectAsk{Op: "delete"}, false, &struct{}{})
}

// ResumeAlarms implements [control.ObjectInspector]. A cluster holds none.
func (a AwayObjects) ResumeAlarms(context.Context) error { return nil }

// FireAlarm implements [control.AlarmInspector].
func (a AwayObjects) FireAlarm(x control.Object) error {
	return a.of(x, objectAsk{Op: "fire"}, false, &struct{}{})
}

// DropAlarm implements [control.AlarmInspector].
func (a AwayObjects) DropAlarm(_ context.Context, x control.Object) error {
	return a.of(x, objectAsk{Op: "drop"}, false, &struct{}{})
}

// Inspected is what a node sees of its own objects.
type Inspected interface {
	control.ObjectInspector
	control.ObjectFinder
	control.AlarmInspector
}

// ServeObject answers a call of [AwayObjects] about an object that is on this node.
func ServeObject(ctx context.Context, in Inspected, x control.Object, head []byte) (told objectstore.Told, err error) {
	var q objectAsk
	if err := json.Unmarshal(head, &q); err != nil {
		return told, fmt.Errorf("a call about a Durable Object: %w", err)
	}
	answer := any(struct{}{})
	switch q.Op {
	case "find":
		var f found
		f.Object, f.OK, err = in.Find(ctx, x.Namespace, x.ID)
		f.Object.Node = x.Node
		answer = f
	case "show":
		var d control.ObjectDetail
		d, err = in.Show(ctx, x)
		d.Node = x.Node
		answer = d
	case "values":
		answer, err = in.Values(ctx, x, q.Prefix, q.Limit)
	case "query":
		if q.SQL == nil {
			return told, errors.New("a query without SQL")
		}
		answer, err = in.Query(ctx, x, *q.SQL)
	case "evict":
		answer, err = in.Evict(ctx, x, q.Force)
	case "delete":
		err = in.Delete(ctx, x)
	case "fire":
		err = in.FireAlarm(x)
	case "drop":
		err = in.DropAlarm(ctx, x)
	default:
		err = fmt.Errorf("a Durable Object knows no %q", q.Op)
	}
	if err != nil {
		return told, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return told, err
	}
	return objectstore.TellBody(struct{}{}, text)
}
