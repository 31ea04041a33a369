package session

import (
	"context"
	"errors"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/durableobject/storage"
	"eddy/runtime/control"
)

// objectInspector lets the control API see the session's objects where they live. Implements [control.ObjectInspector].
type objectInspector struct{ objects *objectjs.Objects }

// changeLimit bounds how long a change waits at an object's gate: as long as a critical section may take (GT6).
const changeLimit = 30 * time.Second

// Namespaces lists the namespaces that a Worker of the session serves.
func (o objectInspector) Namespaces(ctx context.Context) (keys []string, err error) {
	for _, n := range o.objects.Namespaces(ctx) {
		if n.Served {
			keys = append(keys, n.Key)
		}
	}
	return keys, nil
}

func (o objectInspector) List(ctx context.Context, namespace string) ([]control.Object, error) {
	infos, err := o.objects.List(ctx, namespace)
	list := make([]control.Object, len(infos))
	for i, info := range infos {
		list[i] = seen(namespace, info)
	}
	return list, err
}

// Find implements [control.ObjectFinder].
func (o objectInspector) Find(ctx context.Context, namespace, id string) (x control.Object, ok bool, err error) {
	info, ok, err := o.objects.Info(ctx, namespace, id)
	return seen(namespace, info), ok, err
}

// Alarms implements [control.ObjectFinder].
func (o objectInspector) Alarms(ctx context.Context, namespace string) (list []control.Object, err error) {
	alarms, err := o.objects.Alarms(ctx, namespace)
	for _, a := range alarms {
		at := a.Time.UTC()
		x := control.Object{Namespace: namespace, ID: a.ID, Name: a.Name, Alarm: &at}
		if x.Name == "" { // it may be in the object's own file
			known, _, err := o.Find(ctx, namespace, a.ID)
			if err != nil {
				return nil, err
			}
			x.Name = known.Name
		}
		list = append(list, x)
	}
	return list, err
}

func seen(namespace string, info objectjs.ObjectInfo) control.Object {
	x := control.Object{Namespace: namespace, ID: info.ID, Name: info.Name, Bytes: info.Bytes, State: info.State,
		Sockets: info.Sockets}
	if !info.Alarm.IsZero() {
		at := info.Alarm.UTC()
		x.Alarm = &at
	}
	return x
}

func (o objectInspector) Show(ctx context.Context, x control.Object) (control.ObjectDetail, error) {
	info, err := o.objects.Show(ctx, x.Namespace, x.ID)
	d := control.ObjectDetail{Object: seen(x.Namespace, info.ObjectInfo), File: info.File, Keys: info.Keys,
		Waiting: info.Waiting, Held: info.Held,
		Tables: []control.ObjectTable{}}
	for _, a := range info.Waiters {
		d.Waiters = append(d.Waiters, control.WaitingEvent{Event: a.Event, Since: a.Since.UTC()})
	}
	for _, t := range info.Tables {
		d.Tables = append(d.Tables, control.ObjectTable{Name: t.Name, Rows: t.Rows, SQL: t.SQL})
	}
	return d, err
}

func (o objectInspector) Values(ctx context.Context, x control.Object, prefix string, limit int) ([]control.StoredValue,
	error) {
	entries, err := o.objects.Storage(ctx, x.Namespace, x.ID, storage.ListOptions{Prefix: prefix, Limit: limit})
	if errors.Is(err, objectjs.ErrNoObject) {
		err = nil // the object is in memory only
	}
	return control.Show(entries, objectjs.RenderValue), err
}

func (o objectInspector) Query(ctx context.Context, x control.Object, q control.SQL) (control.Rows, error) {
	ctx, cancel := context.WithTimeout(ctx, changeLimit)
	defer cancel()
	res, err := o.objects.Query(ctx, x.Namespace, x.ID, storage.Query{SQL: q.SQL, Write: q.Write, Limit: q.Limit,
		Exact: true})
	return control.RowsOf(res), err
}

func (o objectInspector) Evict(ctx context.Context, x control.Object, force bool) (bool, error) {
	return o.objects.Evict(ctx, x.Namespace, x.ID, force)
}

func (o objectInspector) Delete(ctx context.Context, x control.Object) error {
	return o.objects.Delete(ctx, x.Namespace, x.ID)
}

// Bookmarks implements [control.BookmarkInspector].
func (o objectInspector) Bookmarks(ctx context.Context, x control.Object, limit int) (list []control.Bookmark,
	err error) {
	moments, err := o.objects.Moments(ctx, x.Namespace, x.ID, limit)
	for _, m := range moments {
		list = append(list, control.Bookmark{At: m.At, Bookmark: string(m.Bookmark)})
	}
	return list, err
}

// Restore implements [control.BookmarkInspector].
func (o objectInspector) Restore(ctx context.Context, x control.Object, bookmark string) (undo string, err error) {
	return o.objects.Restore(ctx, x.Namespace, x.ID, bookmark)
}

// FireAlarm implements [control.AlarmInspector].
func (o objectInspector) FireAlarm(x control.Object) error {
	return o.objects.FireAlarm(x.Namespace, x.ID)
}

// DropAlarm implements [control.AlarmInspector].
func (o objectInspector) DropAlarm(ctx context.Context, x control.Object) error {
	ctx, cancel := context.WithTimeout(ctx, changeLimit)
	defer cancel()
	return o.objects.DropAlarm(ctx, x.Namespace, x.ID)
}

func (o objectInspector) ResumeAlarms(context.Context) error {
	o.objects.ResumeAlarms()
	return nil
}
