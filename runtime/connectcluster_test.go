package runtime

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// connect() of an object reaches it on whichever node it is: both directions at once, each with an end of its own, and
// a class that takes no connections refuses it.
func TestConnectOnCluster(t *testing.T) {
	dir := writeProject(t, map[string]string{"wrangler.jsonc": script("cluster", "connect.jsonc"),
		"index.js": script("cluster", "connect.js")})
	c := newTestCluster(t)
	if err := c.start(dir, false); err != nil {
		t.Fatal(Explain(err, false))
	}
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprintf("some.host:%d PING PONG object %d got 300008", i+1, i),
			"proxy request failed, cannot connect to the specified address")
	}
	for _, url := range c.urls() {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || string(b) != strings.Join(want, "\n") {
			t.Errorf("%v\n%s", err, b)
		}
	}
}
