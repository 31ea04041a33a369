package examples

import (
	"strings"
	"testing"
	"time"

	"eddy/runtime"
	"eddy/runtime/containers/containerstest"
)

// Each room has a container of its own, which ends a minute after the last request.
func TestContainer(t *testing.T) {
	engine := containerstest.Start(t)
	s := runWith(t, func(o *runtime.Options) { o.Environ = []string{"EDDY_DOCKER=" + engine.Host} },
		"container/wrangler.jsonc")
	if got := strings.Join(engine.Built("eddy-room"), " "); !strings.Contains(got, "server/main.go") {
		t.Errorf("the context of the image: %s", got)
	}
	for _, room := range []string{"/kitchen", "/kitchen", "/hall"} {
		want := "GET " + room + " env=hello from " + room[1:] + " args=[one two] body="
		if _, _, got := s.do("GET", room, ""); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if got := engine.Containers(); len(got) != 2 {
		t.Error(got)
	}
	if err := s.clock.Advance(t.Context(), 61*time.Second); err != nil {
		t.Error(err)
	}
	if got := engine.Containers(); got != nil {
		t.Errorf("after a minute: %v", got)
	}
}
