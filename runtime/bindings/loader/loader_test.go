package loader

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"eddy/runtime/bindings/service"
	"eddy/runtime/bundle"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// starter starts Workers without any session around them.
type starter struct {
	t       *testing.T
	started int
	retired chan *worker.Worker
}

func (s *starter) Start(c *Code) (*worker.Worker, []string, *rpc.RemoteError) {
	s.started++
	b, err := bundle.Build(bundle.Given(c.Modules, c.Main))
	if err != nil {
		return nil, nil, rpc.Fail(err.Error())
	}
	w, err := worker.Start(context.Background(), worker.Options{
		Name: fmt.Sprintf("dynamic %d", s.started), Script: &worker.Script{Bundle: b}})
	if err != nil {
		s.t.Error(err)
		return nil, nil, rpc.Fail(err.Error())
	}
	return w, []string{"default"}, nil
}

func (s *starter) Retire(w *worker.Worker) {
	w.Close()
	s.retired <- w
}

// code is a Worker that does nothing.
var code = &Code{Main: "main.js", Modules: []bundle.GivenModule{
	{Name: "main.js", Kind: bundle.RuleESModule, Content: []byte("export default {}")}}}

// begin starts a Worker and waits until it runs.
func begin(t *testing.T, ws *workers) *service.Late {
	t.Helper()
	late, done := service.NewLate(nil), make(chan struct{})
	ws.start(code, late, func() { close(done) })
	<-done
	return late
}

// A Worker without an id lives as long as something refers to its stub, and ends once.
func TestUnreachableWorkersEnd(t *testing.T) {
	s := &starter{t: t, retired: make(chan *worker.Worker, 9)}
	ws := &workers{starter: s, running: map[*worker.Worker]bool{}}
	held := begin(t, ws)
	begin(t, ws)
	var ended *worker.Worker
	for ended == nil {
		runtime.GC()
		select {
		case ended = <-s.retired:
		default:
			runtime.Gosched()
		}
	}
	if held.Gone() {
		t.Error("the Worker that is held has ended")
	}
	ws.close()
	if w := <-s.retired; w == ended {
		t.Error("a Worker was retired twice")
	}
	if !held.Gone() || len(s.retired) != 0 {
		t.Errorf("after the isolate: gone %v, %d more retired", held.Gone(), len(s.retired))
	}
	runtime.KeepAlive(held)
	if late := begin(t, ws); late.Gone() || len(s.retired) != 1 {
		t.Errorf("a Worker that comes late was not retired: %d", len(s.retired))
	}
}

// The hundred Workers that were asked for last are kept.
func TestKept(t *testing.T) {
	var k kept
	for i := range maxKept + 1 {
		k.put(fmt.Sprint(i), service.NewLate(nil))
		if k.get("0") == nil && i < maxKept {
			t.Fatalf("0 was forgotten after %d", i)
		}
	}
	if k.get("0") == nil || k.get("1") != nil || k.get("2") == nil || len(k.byID) != maxKept {
		t.Errorf("kept %d: 0 %v, 1 %v, 2 %v", len(k.byID), k.get("0"), k.get("1"), k.get("2"))
	}
}
