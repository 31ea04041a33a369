package trial

import (
	"context"
	"fmt"

	"eddy/runtime/bundle"
	"eddy/runtime/testrun"
	"eddy/runtime/worker"
)

// Search runs a test under up to n orders of events, each in a trial of its own, until it returns an error; then it
// looks for the shortest order under which it does ([testrun.Search]). An exception that nobody caught is an error of
// the test, unless o.Runtime.Exception takes them. err is what kept a trial from starting or stopping, and the end of
// ctx.
func Search(ctx context.Context, n int, o Options, test func(*Trial) error) (found testrun.Finding, err error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	sources := map[string]*bundle.SourceMap{}
	source := func(name string) *bundle.SourceMap { return sources[name] }
	try := func(order *testrun.Order) (err error) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		with, thrown := o, make(chan error, 1)
		if with.Runtime.Exception == nil {
			with.Runtime.Exception = func(name string, ex *worker.Exception) {
				select {
				case thrown <- fmt.Errorf("%s: %s", name, ex.Stack):
				default:
				}
			}
		}
		t, err := Start(ctx, with, order)
		if err != nil {
			giveUp(err)
			return err
		}
		for _, name := range t.run.Workers() {
			sources[name] = t.run.Worker(name).Source()
		}
		defer func() {
			if stopped := t.Stop(); stopped != nil {
				giveUp(stopped)
			}
			select {
			case ex := <-thrown:
				if err == nil {
					err = ex
				}
			default:
			}
		}()
		return test(t)
	}
	found = testrun.Search(ctx, max(o.Seed, 1), n, o.Runtime.Dir, source, try)
	return found, context.Cause(ctx)
}
