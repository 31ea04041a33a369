package durableobject

import (
	"container/list"
	"time"
)

// IdleTime is how long an object stays in memory with nothing to do (GT9).
const IdleTime = 10 * time.Second

// Namespace is the live objects of one class on one isolate. It belongs to the isolate's loop.
type Namespace struct {
	objects map[ID]*Object
	idle    list.List // of *Object, longest idle first
	after   time.Duration
	drop    func(*Object)
}

// Object is one id with an instance, or with sockets that wait for one.
type Object struct {
	ID ID
	// Name is the name the id was made from, if a caller's id has told it (ID14).
	Name    string
	HasName bool
	// Input and Output are the object's gates.
	Input  InputGate
	Output OutputGate
	// Actor is the instance; nil while there is none.
	Actor Actor

	state State
	since time.Time
	place *list.Element
}

// Actor is the seam to what an object is made of.
type Actor interface {
	// Sockets counts the hibernatable sockets that are open.
	Sockets() int
}

// NewNamespace makes an empty namespace. after is how long an object may idle, 0 for [IdleTime]; drop is called when an
// idle object leaves memory, with its state already changed.
func NewNamespace(after time.Duration, drop func(*Object)) *Namespace {
	if after == 0 {
		after = IdleTime
	}
	return &Namespace{objects: map[ID]*Object{}, after: after, drop: drop}
}

// Get returns the object with that id. If there is none, it makes a cold one.
func (n *Namespace) Get(id ID) *Object {
	if o := n.objects[id]; o != nil {
		return o
	}
	o := &Object{ID: id}
	n.objects[id] = o
	return o
}

// Live is the object with that id if it is known, else nil.
func (n *Namespace) Live(id ID) *Object { return n.objects[id] }

// Objects are all objects that are known, in no order.
func (n *Namespace) Objects() []*Object {
	out := make([]*Object, 0, len(n.objects))
	for _, o := range n.objects {
		out = append(out, o)
	}
	return out
}

// State is where o is in its life.
func (o *Object) State() State { return o.state }

// Change applies a trigger. A broken object is forgotten, and Get makes a new one for its id. Change panics if the
// trigger is impossible in the object's state, which is a bug of eddy.
func (n *Namespace) Change(o *Object, t Trigger, now time.Time) {
	to, err := next(o.state, t)
	if err != nil {
		panic(err)
	}
	o.state = to
	if o.place != nil {
		n.idle.Remove(o.place)
		o.place = nil
	}
	switch to {
	case Idle:
		o.since = now
		o.place = n.idle.PushBack(o)
	case Cold, Broken:
		if n.objects[o.ID] == o {
			delete(n.objects, o.ID)
		}
	}
}

// Adopt makes a cold object hibernate: its sockets were taken over from another isolate.
func (n *Namespace) Adopt(o *Object) {
	if o.state != Cold {
		panic("durableobject: only a cold object can be adopted, not one that is " + o.state.String())
	}
	o.state = Hibernating
}
