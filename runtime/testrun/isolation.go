package testrun

import (
	"context"
	"errors"

	"github.com/dop251/goja"

	"eddy/runtime/session"
)

// keep remembers what the file's session has stored (TEST-68). Loop goroutine.
func (f *fileRun) keep() goja.Value {
	return f.stored(func(ctx context.Context) error {
		k, err := f.session.Keep(ctx)
		f.kept = append(f.kept, k)
		return err
	})
}

// back undoes what has been stored since the last keep that is not undone.
func (f *fileRun) back() goja.Value {
	return f.stored(func(ctx context.Context) error {
		if len(f.kept) == 0 {
			return errors.New("testrun: nothing was kept")
		}
		var k *session.Kept
		k, f.kept = f.kept[len(f.kept)-1], f.kept[:len(f.kept)-1]
		return f.session.Back(ctx, k)
	})
}

// stored runs work on the session's storage beside the loop, and gives a promise. One runs at a time.
func (f *fileRun) stored(work func(ctx context.Context) error) goja.Value {
	return f.iso.Loop.Scope().Promise(func() func() (goja.Value, goja.Value) {
		err := work(context.Background())
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, f.iso.Realm.ErrorValue(err)
			}
			return goja.Undefined(), nil
		}
	})
}
