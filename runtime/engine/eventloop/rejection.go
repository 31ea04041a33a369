package eventloop

import "github.com/dop251/goja"

// Rejection is a promise that was rejected and had no handler at the end of the turn.
type Rejection struct {
	Promise *goja.Promise
	// Scope is the scope that was current when it was rejected; nil outside any.
	Scope *Scope
}

// rejections collects, within a turn, promises that have no handler yet.
type rejections struct {
	list []Rejection
	loop *Loop
}

func (r *rejections) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	switch op {
	case goja.PromiseRejectionReject:
		r.list = append(r.list, Rejection{Promise: p, Scope: r.loop.cur.scope})
	case goja.PromiseRejectionHandle:
		for i := range r.list {
			if r.list[i].Promise == p {
				r.list = append(r.list[:i], r.list[i+1:]...)
				return
			}
		}
	}
}

func (r *rejections) pending() bool { return len(r.list) > 0 }

func (r *rejections) take() []Rejection {
	lost := r.list
	r.list = nil
	return lost
}
