package runtime

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// RPC2: what is asked of an object comes in order, through whichever stub and whether it is a call or a request, also
// if the object is on another node to which no connection leads yet.
func TestOrderOnCluster(t *testing.T) {
	dir := writeProject(t, map[string]string{"wrangler.jsonc": script("cluster", "wrangler.jsonc"),
		"index.js": script("cluster", "order.js")})
	c := newTestCluster(t)
	if err := c.start(dir, false); err != nil {
		t.Fatal(Explain(err, false))
	}
	res, err := http.Get(c.web(0))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	want := strings.Repeat("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19\n", 8)
	if err != nil || string(b)+"\n" != want {
		t.Errorf("%v\n%s", err, b)
	}
}
