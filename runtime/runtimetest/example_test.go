package runtimetest_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

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

// A request to the first Worker. A handler that throws fails the test.
func ExampleSession_Fetch() {
	test := func(t *testing.T) {
		s := runtimetest.Start(t, "testdata/shop", runtimetest.Options{})
		res := s.Fetch("GET", "/", nil)
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(res.StatusCode, string(body))
	}
	run("fetch", test)
	// Output:
	// 200 hello
	// fetch passes
}

// Two requests in flight together: the first response is waited for when both have been sent.
func ExampleSession_Send() {
	test := func(t *testing.T) {
		s := runtimetest.Start(t, "testdata/shop", runtimetest.Options{})
		first := s.Send("", httptest.NewRequest("GET", "/", nil))
		second := s.Send("", httptest.NewRequest("GET", "/", nil))
		for _, r := range []*runtimetest.Request{first, second} {
			res, err := r.Response()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(res.StatusCode)
		}
	}
	run("send", test)
	// Output:
	// 200
	// 200
	// send passes
}

// A queue: what waits in it, however it came there, and what is left when time has gone on until it is empty.
func ExampleSession_Queue() {
	test := func(t *testing.T) {
		s := runtimetest.Start(t, "testdata/shop", runtimetest.Options{})
		s.Fetch("POST", "/order", strings.NewReader(`{"item":"book"}`))
		orders := s.Queue("orders")
		for _, m := range orders.Messages() {
			fmt.Println(string(m.Body), m.State)
		}
		began := s.Now()
		orders.Drain()
		fmt.Println(len(orders.Messages()), "left after", s.Now().Sub(began))
	}
	run("queue", test)
	// Output:
	// {"item":"book"} ready
	// 0 left after 5s
	// queue passes
}

// An object: what it has stored, its alarm, its database, and whether it keeps what it needs when it leaves memory.
func ExampleSession_Object() {
	test := func(t *testing.T) {
		s := runtimetest.Start(t, "testdata/shop", runtimetest.Options{})
		s.Fetch("POST", "/take", nil)
		stock := s.Object("Stock", "book")
		for _, e := range stock.Storage() {
			fmt.Println("stored:", e.Key)
		}
		fmt.Println("alarm in", stock.Alarm().Sub(s.Now()))
		fmt.Println("sum:", stock.Query("SELECT 1 + ? AS sum", 2.0).Rows[0][0])
		fmt.Println("evicted:", stock.Evict())
	}
	run("object", test)
	// Output:
	// stored: left
	// alarm in 1h0m0s
	// sum: 3
	// evicted: true
	// object passes
}

// Time stands until the test moves it: by a duration, to the next event, or until nothing is due.
func ExampleSession_Advance() {
	test := func(t *testing.T) {
		s := runtimetest.Start(t, "testdata/shop", runtimetest.Options{})
		began := s.Now()
		s.Fetch("POST", "/take", nil) // sets an alarm for an hour later
		s.Advance(20 * time.Minute)
		fmt.Println("the next event came after", s.AdvanceToNext())
		fmt.Println("alarm set:", !s.Object("Stock", "book").Alarm().IsZero())
		fmt.Println("since the start:", s.Now().Sub(began))
	}
	run("time", test)
	// Output:
	// the next event came after 40m0s
	// alarm set: false
	// since the start: 1h0m0s
	// time passes
}

// A seed decides random numbers, ids and every order that is free: the same seed makes the same session.
func ExampleSession_Seed() {
	test := func(t *testing.T) {
		var ids []string
		for range 2 {
			s := runtimetest.Start(t, "testdata/shop", runtimetest.Options{Seed: 7})
			s.Queue("orders").Send("a message with an id by lot")
			ids = append(ids, s.Queue("orders").Messages()[0].ID.String())
		}
		fmt.Println(ids[0] == ids[1])
	}
	run("seed", test)
	// Output:
	// true
	// seed passes
}

// Search is for those who want to decide by themselves what becomes of a finding.
func ExampleSearch() {
	test := func(t *testing.T) {
		takes := 0
		found := runtimetest.Search(t, "testdata/shop", 5, runtimetest.Options{}, func(s *runtimetest.Session) error {
			s.Fetch("POST", "/take", nil)
			takes++
			return nil
		})
		fmt.Println(found.Err, found.Tried, takes) // the plain order, and then five
	}
	run("search", test)
	// Output:
	// <nil> 5 6
	// search passes
}

// run runs a test outside of go test: whatever -run says, and what -skip names is not it. With -v the test's own lines
// would be part of the example's output.
func run(name string, test func(*testing.T)) {
	chatty := flag.Lookup("test.v").Value
	before := chatty.String()
	defer func() { _ = chatty.Set(before) }()
	_ = chatty.Set("false")
	skipped := flag.Lookup("test.skip").Value.String()
	ok := testing.RunTests(func(pattern, _ string) (bool, error) { return pattern != skipped, nil },
		[]testing.InternalTest{{Name: name, F: test}})
	if ok {
		fmt.Println(name, "passes")
	}
}
