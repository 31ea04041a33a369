package examples

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
)

func TestWasm(t *testing.T) {
	s := run(t, "wasm/wrangler.jsonc")
	for i, body := range []string{"", "hello", strings.Repeat("a long body ", 20_000), "hello"} {
		h := fnv.New32a()
		h.Write([]byte(body))
		want := fmt.Sprintf(`{"hash":"%08x","bytes":%d,"hashed":%d}`, h.Sum32(), len(body), i+1)
		if _, _, got := s.do("POST", "/", body); got != want {
			t.Errorf("%d bytes:\n got %s\nwant %s", len(body), got, want)
		}
	}
}
