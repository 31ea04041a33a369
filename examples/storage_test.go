package examples

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// The examples of a single class of objects: rate-limiter, counter, lock.

func TestRateLimiter(t *testing.T) {
	s := run(t, "rate-limiter/wrangler.jsonc")
	ask := func() int { status, _, _ := s.do("GET", "/", "", "x-client", "ada"); return status }
	for i := range 5 {
		if got := ask(); got != http.StatusOK {
			t.Fatalf("request %d: %d", i, got)
		}
	}
	status, header, _ := s.do("GET", "/", "", "x-client", "ada")
	if status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" {
		t.Errorf("%d, retry-after %q", status, header.Get("Retry-After"))
	}
	if status, _, _ := s.do("GET", "/", "", "x-client", "bob"); status != http.StatusOK {
		t.Error("another client has a bucket of its own")
	}
	s.clock.Advance(t.Context(), 2*time.Second)
	if got := []int{ask(), ask(), ask()}; fmt.Sprint(got) != "[200 200 429]" {
		t.Error("after two seconds:", got)
	}
	s.clock.Advance(t.Context(), time.Minute) // the alarm forgets the bucket: it is full again
	for i := range 5 {
		if got := ask(); got != http.StatusOK {
			t.Errorf("after the alarm, request %d: %d", i, got)
		}
	}
}

func TestCounter(t *testing.T) {
	s := run(t, "counter/wrangler.jsonc")
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			res, err := http.Post(s.url+"/hits", "", nil)
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
		})
	}
	wg.Wait()
	s.expect("/hits", `{"name":"hits","total":100}`)
	s.expect("/other", `{"name":"other","total":0}`)
}

func TestLock(t *testing.T) {
	s := run(t, "lock/wrangler.jsonc")
	s.expect("/db/acquire?owner=a&ttl=5000", `{"ok":true,"token":1}`)
	s.expect("/db/acquire?owner=b", `{"ok":false,"holder":"a"}`)
	s.expect("/db/release?owner=a&token=9", `{"ok":false}`)
	s.expect("/db/release?owner=a&token=1", `{"ok":true}`)
	s.expect("/db/acquire?owner=b&ttl=5000", `{"ok":true,"token":2}`)
	s.clock.Advance(t.Context(), 6*time.Second)
	s.expect("/db", `{"holder":null}`)
	s.expect("/db/acquire?owner=a", `{"ok":true,"token":3}`)
}
