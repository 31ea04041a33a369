package sharing

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A call to a store is given up soon when the store's node is lost. One that has handed the store over lives, and has
// time to answer: what it has done must not count as lost.
func TestCallOutlivesTheStay(t *testing.T) {
	type look struct {
		after        time.Duration // the one before
		there, lives bool
	}
	for _, c := range []struct {
		name  string
		looks []look
		want  time.Duration // until the call is given up, 0 for never
	}{
		{"lost", []look{{}, {after: goneTime - 1}}, goneTime},
		{"handed over", []look{{lives: true}, {after: lateTime - 1, lives: true}}, lateTime},
		{"handed over, and lost soon", []look{{lives: true}, {after: time.Second}}, time.Second + goneTime},
		{"handed over, and lost later", []look{{lives: true}, {after: lateTime - 1}, {after: 2}},
			lateTime - 1 + goneTime},
		{"it comes back", []look{{lives: true}, {after: time.Second, there: true, lives: true}}, 0},
		{"it is there, and not in the look, which is older", []look{{there: true}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				now, changed := look{there: true, lives: true}, make(chan struct{})
				ctx, stop := stay{there: func() bool { return now.there }, lives: func() bool { return now.lives },
					changed: func() <-chan struct{} { return changed }}.follow()
				defer stop()
				began, took := time.Now(), time.Duration(0)
				defer context.AfterFunc(ctx, func() {
					took = time.Since(began)
				})()
				for _, l := range c.looks {
					time.Sleep(l.after)
					synctest.Wait()
					old := changed
					now, changed = l, make(chan struct{})
					close(old)
					synctest.Wait()
				}
				time.Sleep(2 * lateTime)
				synctest.Wait()
				if took != c.want {
					t.Errorf("given up after %v, want %v", took, c.want)
				}
			})
		})
	}
}

// A call whose answer nobody reads or closes does not outlive its session: from then on nobody looks where the store
// is.
func TestCallEndsWithTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, changed := make(chan struct{}), make(chan struct{})
		ctx, stop := stay{there: func() bool { return true }, lives: func() bool { return true },
			changed: func() <-chan struct{} { return changed }, over: over}.follow()
		defer stop()
		synctest.Wait()
		if ctx.Err() != nil {
			t.Error("given up while the store is there")
		}
		close(over)
		<-ctx.Done()
	})
}
