package eventloop

import (
	"errors"

	"github.com/dop251/goja"
)

// ErrConnection is the failure of a request that a [clock.Chooser] wants to fail, in the platform's words.
var ErrConnection = errors.New("Network connection lost.")

// Request is [Scope.Promise] for work that leaves the isolate: it starts when the output gate lets it. If the gate
// breaks, the promise is rejected with what failed makes of the error. Loop goroutine only.
func (s *Scope) Request(
	work func() (settle func() (value, failure goja.Value)), failed func(error) goja.Value) goja.Value {
	p, t, settle := s.deferred()
	s.Output(func(err error) {
		if err != nil {
			settle(func() (goja.Value, goja.Value) { return nil, failed(err) })
			return
		}
		s.begin(t, func() { settle(s.attempt(work)) }, func() {
			settle(func() (goja.Value, goja.Value) { return nil, failed(ErrConnection) })
		})
	})
	return p
}
