package runtimetest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"eddy/runtime/runtimetest"
)

// A test of a project beside it: an order that fails goes to the dead letter queue after two hours.
func ExampleStart() {
	test := func(t *testing.T) {
		s := runtimetest.Start(t, "testdata/shop", runtimetest.Options{})
		s.Queue("orders").Send(map[string]string{"item": "book"})
		began := s.Now()
		s.Queue("orders").Drain()
		if dead := s.Queue("orders").DeadLetters(); len(dead) > 0 {
			t.Errorf("%d dead letters after %v", len(dead), s.Now().Sub(began))
		}
	}
	run("order", test)
	// Output: order passes
}

// Two requests that count at the same time: Explore finds the order in which one of them is lost.
func ExampleExplore() {
	test := func(t *testing.T) {
		runtimetest.Explore(t, "testdata/shop", 50, runtimetest.Options{}, func(s *runtimetest.Session) error {
			var requests []*runtimetest.Request
			for range 2 {
				req, err := http.NewRequest("POST", "/take", nil)
				if err != nil {
					return err
				}
				requests = append(requests, s.Send("", req))
			}
			seen := map[string]bool{}
			for _, r := range requests {
				res, err := r.Response()
				if err != nil {
					return err
				}
				body, err := io.ReadAll(res.Body)
				if err != nil || seen[string(body)] {
					return errors.Join(err, fmt.Errorf("two customers have got the same %s", body))
				}
				seen[string(body)] = true
			}
			return nil
		})
	}
	run("take", test)
	// Output: take passes
}

// run runs a test outside of go test.
func run(name string, test func(*testing.T)) {
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: name, F: test}})
	if ok {
		fmt.Println(name, "passes")
	}
}
