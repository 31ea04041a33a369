package heapwatch

import "sync"

// A burst is work that makes much garbage and is soon over, while somebody waits for it: a build and the start of what
// it gives. Whoever paces the collector may let it wait meanwhile.
var bursts struct {
	sync.Mutex // guards all below
	under      int
	changed    func(under bool)
}

// Burst begins a burst; end ends it and must be called once.
func Burst() (end func()) {
	burst(1)
	return sync.OnceFunc(func() { burst(-1) })
}

func burst(more int) {
	bursts.Lock()
	defer bursts.Unlock()
	was := bursts.under > 0
	bursts.under += more
	if is := bursts.under > 0; is != was && bursts.changed != nil {
		bursts.changed(is)
	}
}

// OnBurst calls f when the first of several bursts begins and when the last one has ended. There is one such f in a
// process; it must not block, nor begin a burst.
func OnBurst(f func(under bool)) {
	bursts.Lock()
	defer bursts.Unlock()
	bursts.changed = f
}
