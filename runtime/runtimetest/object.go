package runtimetest

import (
	"context"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/durableobject/storage"
	"eddy/runtime/trial"
)

// Object is a Durable Object of the session, live or not.
type Object struct {
	s        *Session
	key, who string
}

// Object names an object of a class of the first Worker: by its name, or by its id in hexadecimal digits.
func (s *Session) Object(class, nameOrID string) *Object {
	return &Object{s, objectjs.Class{Worker: s.Runtime().Workers()[0], Name: class}.UniqueKey(), nameOrID}
}

func (o *Object) asks(what string, f func(context.Context, *objectjs.Objects) error) {
	o.s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), trial.Patience)
	defer cancel()
	// The calls to the object's loop say that the test waits.
	if err := f(ctx, o.s.Runtime().Objects()); err != nil {
		o.s.t.Fatalf("object %s of %s: %s: %v", o.who, o.key, what, err)
	}
}

// Query asks the object's database. A statement that writes is refused.
func (o *Object) Query(sql string, bindings ...any) (res storage.Result) {
	o.s.t.Helper()
	o.asks("query", func(ctx context.Context, objs *objectjs.Objects) (err error) {
		res, err = objs.Query(ctx, o.key, o.who, storage.Query{SQL: sql, Bindings: bindings})
		return err
	})
	return res
}

// Storage is what is stored under keys, in their order.
func (o *Object) Storage() (list []storage.Pair) {
	o.s.t.Helper()
	o.asks("storage", func(ctx context.Context, objs *objectjs.Objects) (err error) {
		list, err = objs.Storage(ctx, o.key, o.who, storage.ListOptions{})
		return err
	})
	return list
}

// Alarm is when its alarm is due; zero for none.
func (o *Object) Alarm() (at time.Time) {
	o.s.t.Helper()
	o.asks("alarm", func(ctx context.Context, objs *objectjs.Objects) error {
		id := objs.ID(o.key, o.who)
		all, err := objs.Alarms(ctx, o.key)
		for _, a := range all {
			if a.ID == id {
				at = a.Time
			}
		}
		return err
	})
	return at
}

// Evict takes the object out of memory, if it is there and at rest.
func (o *Object) Evict() (evicted bool) {
	o.s.t.Helper()
	o.asks("evict", func(ctx context.Context, objs *objectjs.Objects) (err error) {
		evicted, err = objs.Evict(ctx, o.key, o.who, false)
		return err
	})
	return evicted
}
