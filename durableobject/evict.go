package durableobject

import "time"

// Sweep drops the objects whose idle time is over. due is when the idle time of the next object ends; ok is false when
// no object idles.
func (n *Namespace) Sweep(now time.Time) (due time.Time, ok bool) {
	for el := n.idle.Front(); el != nil; el = n.idle.Front() {
		o := el.Value.(*Object)
		due := o.since.Add(n.after)
		if due.After(now) {
			return due, true
		}
		n.Evict(o, now)
	}
	return time.Time{}, false
}

// Evict drops an idle object now. It reports false when the object is not idle.
func (n *Namespace) Evict(o *Object, now time.Time) bool {
	if o.state != Idle {
		return false
	}
	t := Expire
	if o.Actor != nil && o.Actor.Sockets() > 0 {
		t = Sleep
	}
	n.Change(o, t, now)
	n.drop(o)
	return true
}
