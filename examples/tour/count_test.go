package tour

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"eddy/runtime/runtimetest"
)

// Two counts at once, in whatever order their steps come: none is lost.
func TestCount(t *testing.T) {
	runtimetest.Explore(t, ".", 20, runtimetest.Options{}, func(s *runtimetest.Session) error {
		var counts []*runtimetest.Request
		for range 2 {
			req, err := http.NewRequest("POST", "/count/books", nil)
			if err != nil {
				return err
			}
			counts = append(counts, s.Send("", req))
		}
		seen := map[string]bool{}
		for _, c := range counts {
			res, err := c.Response()
			if err != nil {
				return err
			}
			body, err := io.ReadAll(res.Body)
			if err != nil || seen[string(body)] {
				return fmt.Errorf("two visitors have got the same %s (%v)", body, err)
			}
			seen[string(body)] = true
		}
		return nil
	})
}
