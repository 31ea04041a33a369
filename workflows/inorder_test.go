package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// Commands are executed in the order in which they were given, those that come meanwhile together. One that waits for
// long keeps nobody waiting, and if some are lost those that only read are sent again.
func TestInOrder(t *testing.T) {
	w := Open(Options{Name: "flow", Path: filepath.Join(t.TempDir(), "flow.sqlite"), Relaxed: true})
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	var mu sync.Mutex // guards what follows
	var kinds []string
	lose := false
	hold, began := make(chan struct{}), make(chan struct{}, 1)
	subscribed := make(chan struct{}) // closed when all that is sent from then on is executed after the subscription
	d := InOrder(func(text []byte, _ bool) ([]byte, error) {
		var a asked
		if err := json.Unmarshal(text, &a); err != nil {
			t.Error(err)
		}
		mu.Lock()
		kinds = append(kinds, fmt.Sprint(a.What, len(a.Several)))
		first, lost, held := len(kinds) == 1, lose && a.What == "several", hold
		mu.Unlock()
		if first {
			began <- struct{}{}
			<-held
		}
		if lost {
			return nil, ErrDisconnected
		}
		return Call(w, func(done func([]byte, error)) {
			w.Serve(text, done)
			if a.What == "subscribe" {
				close(subscribed)
			}
		})
	})
	errs, err := make(chan error, 1), error(nil)
	d.Create([]New{{ID: "a", Shown: "{}"}}, func(list []error, err error) {
		errs <- errors.Join(append(list, err)...)
	})
	<-began
	var all sync.WaitGroup
	for n := range 20 {
		all.Add(1)
		e := Sent{Type: "t", Payload: fmt.Append(nil, n), Shown: fmt.Sprint(n)}
		d.SendEvent("a", e, func(_ struct{}, err error) {
			defer all.Done()
			if err != nil {
				t.Error(err)
			}
		})
	}
	close(hold)
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	all.Wait()
	var got []string
	_, err = Call(w, func(done func(struct{}, error)) {
		command(w, func(t *turn) (struct{}, error) {
			t.query("SELECT shown FROM events ORDER BY event", func(r row) { got = append(got, r.Text(0)) })
			return struct{}{}, nil
		}, done)
	})
	if err != nil || len(got) != 20 || !slices.IsSortedFunc(got, func(a, b string) int {
		var x, y int
		_, _ = fmt.Sscan(a, &x)
		_, _ = fmt.Sscan(b, &y)
		return x - y
	}) {
		t.Errorf("the events are %v, %v", got, err)
	}
	mu.Lock()
	if !slices.Equal(kinds, []string{"create0", "several20"}) {
		t.Errorf("what was sent: %v", kinds)
	}
	kinds, lose, hold = nil, true, make(chan struct{})
	mu.Unlock()
	over := make(chan error, 4)
	d.Exists("a", func(_ struct{}, err error) { over <- err })
	<-began
	d.Subscribe("a", 100, func(_ []Happened, err error) { errs <- err })
	d.SendEvent("a", Sent{Type: "t"}, func(_ struct{}, err error) { over <- err })
	d.Exists("b", func(_ struct{}, err error) { over <- err })
	close(hold)
	var found []error
	for range 3 {
		found = append(found, <-over)
	}
	for _, want := range []error{nil, ErrDisconnected, ErrNotFound} {
		if !slices.ContainsFunc(found, func(err error) bool { return errors.Is(err, want) }) {
			t.Errorf("%v, want %v", found, want)
		}
	}
	<-subscribed // it waits, so it goes by itself
	d.Delete("a", func(struct{}, error) {})
	if err := <-errs; err != nil {
		t.Error(err)
	}
}
