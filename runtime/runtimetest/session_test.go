package runtimetest

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"eddy/runtime/worker"
)

const shop = "testdata/shop"

func text(t testing.TB, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Time stands until the test moves it; queues and objects are looked into by name.
func TestSession(t *testing.T) {
	s := Start(t, shop, Options{Seed: 5})
	if s.Seed() != 5 {
		t.Error(s.Seed())
	}
	if got := text(t, s.Fetch("GET", "/", nil)); got != "hello" {
		t.Error(got)
	}
	s.Fetch("POST", "/order", strings.NewReader(`{"item":"book"}`))
	orders := s.Queue("orders")
	if list := orders.Messages(); len(list) != 1 || string(list[0].Body) != `{"item":"book"}` {
		t.Errorf("%+v", list)
	}
	began := s.Now()
	orders.Drain()
	if took := s.Now().Sub(began); took != 5*time.Second {
		t.Errorf("the batch came after %v", took)
	}

	if got := text(t, s.Fetch("POST", "/take", nil)); got != "2" {
		t.Error(got)
	}
	stock := s.Object("Stock", "book")
	if at := stock.Alarm(); !at.Equal(s.Now().Add(time.Hour)) {
		t.Errorf("the alarm is set for %v at %v", at, s.Now())
	}
	if list := stock.Storage(); len(list) != 1 || list[0].Key != "left" {
		t.Errorf("%+v", list)
	}
	if res := stock.Query("SELECT 1 + ? AS sum", 2.0); fmt.Sprint(res.Rows) != "[[3]]" {
		t.Errorf("%+v", res)
	}
	if !stock.Evict() || stock.Evict() {
		t.Error("the object was in memory once")
	}
	s.Advance(time.Hour)
	if at := stock.Alarm(); !at.IsZero() {
		t.Errorf("the alarm is still set for %v", at)
	}
	if got := text(t, s.Fetch("POST", "/take", nil)); got != "2" {
		t.Errorf("after the alarm %s are left", got)
	}
	if d := s.AdvanceToNext(); d != time.Hour {
		t.Errorf("the next event came after %v", d)
	}
	s.RunUntilIdle()
}

// What fails goes to the dead letter queue, and what nobody caught is told.
func TestExceptions(t *testing.T) {
	var thrown []string
	s := Start(t, shop, Options{Exceptions: func(name string, ex *worker.Exception) {
		thrown = append(thrown, name+": "+ex.Error())
	}})
	orders := s.Queue("orders")
	orders.Pause(true)
	orders.Send(map[string]string{"item": "unicorn"})
	s.Advance(time.Hour)
	if n := len(orders.Messages()); n != 1 {
		t.Errorf("%d messages in a queue that is paused", n)
	}
	orders.Pause(false)
	orders.Drain()
	dead := orders.DeadLetters()
	if len(dead) != 1 || dead[0].DeadLetter.Attempts != 3 || dead[0].DeadLetter.Error != "Error: no unicorns" {
		t.Errorf("%+v", dead)
	}
	if got := strings.Join(thrown, "; "); got != strings.Repeat("shop: Error: no unicorns; ", 2)+
		"shop: Error: no unicorns" {
		t.Error(got)
	}
	req, err := http.NewRequest("GET", "/throw", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send("", req).Response(); err == nil || err.Error() != "Error: out of paper" {
		t.Error(err)
	}
}

// failing is a test whose failures are looked at.
type failing struct {
	testing.TB
	errors []string
}

func (f *failing) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

// counts sends two requests that count, a moment apart.
func counts(s *Session) error {
	var requests []*Request
	for range 2 {
		req, err := http.NewRequest("POST", "/count", nil)
		if err != nil {
			return err
		}
		requests = append(requests, s.Send("", req))
	}
	for _, r := range requests {
		if _, err := r.Response(); err != nil {
			return err
		}
	}
	req, err := http.NewRequest("GET", "/n", nil)
	if err != nil {
		return err
	}
	res, err := s.Send("", req).Response()
	if err != nil {
		return err
	}
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "2" {
		return fmt.Errorf("counted to %s, want 2 (%v)", body, err)
	}
	return nil
}

// Explore shows the order that breaks a test, with lines; one seed gives the same order on one core and on two.
func TestExplore(t *testing.T) {
	var first string
	for i := range 4 {
		before := runtime.GOMAXPROCS(1 + i%2)
		f := &failing{TB: t}
		Explore(f, shop, 100, Options{Seed: 3}, counts)
		runtime.GOMAXPROCS(before)
		if len(f.errors) != 1 {
			t.Fatalf("%d failures: %v", len(f.errors), f.errors)
		}
		if first == "" {
			first = f.errors[0]
			t.Log(first)
		}
		if f.errors[0] != first {
			t.Fatalf("run %d:\n%s\nbut first\n%s", i, f.errors[0], first)
		}
	}
	for _, want := range []string{"counted to 1, want 2", "This came with seed ", "POST /count arrives",
		"  index.js:27  "} {
		if !strings.Contains(first, want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// With Crash an order may have crashes: a consumer that does not know its messages again counts one twice. One seed
// gives the same order on one core and on two.
func TestExploreCrashes(t *testing.T) {
	pens := func(s *Session) error {
		s.Queue("orders").Send(map[string]string{"item": "pen"})
		s.Queue("orders").Drain()
		body, err := io.ReadAll(s.Fetch("GET", "/pens", nil).Body)
		if err != nil || string(body) != "1" {
			return fmt.Errorf("sold %s pens, want 1 (%v)", body, err)
		}
		return nil
	}
	if found := Search(t, shop, 20, Options{Seed: 3}, pens); found.Err != nil {
		t.Fatalf("without a crash: %v\n%s", found.Err, found.Steps)
	}
	var first string
	for i := range 4 {
		before := runtime.GOMAXPROCS(1 + i%2)
		found := Search(t, shop, 200, Options{Seed: 8, Crash: true}, pens)
		runtime.GOMAXPROCS(before)
		text := fmt.Sprint(found.Err, "\n", found.Seed, "\n", found.Steps)
		if first == "" {
			first = text
			t.Log(first)
		}
		if text != first {
			t.Fatalf("run %d:\n%s\nbut first\n%s", i, text, first)
		}
	}
	for _, want := range []string{"sold 2 pens, want 1", "the Workers crash"} {
		if !strings.Contains(first, want) {
			t.Errorf("it does not say %q", want)
		}
	}
}
