package objectjs

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// An object that goes to another node ends what it does first, as long as there is patience, and open sockets are not
// waited for: they do not end by themselves.
func TestReleaseWaitsForCalls(t *testing.T) {
	b := newBenchAt(t, t.TempDir(), Options{Cluster: &oneNode{}})
	w := b.start(config{classes: []string{"L"}}, script("cluster_release.js"))
	b.dial(w, "/socket")
	call := func() (answer chan string) {
		answer = make(chan string, 1)
		go func() { answer <- b.get(w, "/wait") }()
		b.expect(w, "/waits", "waits")
		return answer
	}
	// release gives up all objects; asked is closed when it has looked for the first time.
	release := func(patience time.Duration) (asked, released chan struct{}) {
		asked, released = make(chan struct{}), make(chan struct{})
		var once sync.Once
		go func() {
			defer close(released)
			b.objs.Release(func(string, string) bool {
				once.Do(func() { close(asked) })
				return true
			}, patience)
		}()
		return asked, released
	}

	answer := call()
	asked, released := release(time.Hour)
	<-asked
	b.expect(w, "/go", "goes on")
	if got := <-answer; got != "ended" {
		t.Error(got)
	}
	<-released // although the socket is open

	answer = call()
	_, released = release(0)
	if got := <-answer; !strings.Contains(got, "Network connection lost.") {
		t.Error(got)
	}
	<-released
}
