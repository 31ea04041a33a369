package peer

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// A call crosses as it is: none of its headers means anything to the HTTP in between, and the answer's body streams.
func TestCall(t *testing.T) {
	next := make(chan string)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ServeCall(w, r, "secret", func(c Call, body io.ReadCloser, reply func(Reply) (io.Writer, error)) error {
			switch c.Worker {
			case "nobody":
				return ErrNotRunning
			case "thrower":
				_, err := reply(Reply{Thrown: &Thrown{Name: "TypeError", Message: "no",
					Flags: map[string]bool{"overloaded": true}}})
				return err
			}
			b, err := io.ReadAll(body)
			if err != nil {
				return err
			}
			out, err := reply(Reply{Status: 304, StatusText: "As It Was",
				Header: http.Header{"Content-Length": {"7"}, "Set-Cookie": {"a", "b"}, "X-Method": {c.Method}},
				Length: -1})
			if err != nil {
				return err
			}
			if _, err := io.WriteString(out, c.URL+" "+c.Header.Get("Origin")+" "+string(b)); err != nil {
				return err
			}
			_, err = io.WriteString(out, <-next) // the first part has arrived by now
			return err
		})
	}))
	defer web.Close()
	to := Address{URL: web.URL, Token: "secret"}
	c := Call{Worker: "w", Method: "HEAD", URL: "https://far.example/x",
		Header: http.Header{"Origin": {"https://elsewhere.example"}, "Connection": {"close"}}, HasBody: true, Length: 4}
	reply, body, err := Do(t.Context(), to, c, strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if reply.Status != 304 || reply.StatusText != "As It Was" ||
		!reflect.DeepEqual(reply.Header["Set-Cookie"], []string{"a", "b"}) || reply.Header.Get("X-Method") != "HEAD" ||
		reply.Length != -1 {
		t.Errorf("%+v", reply)
	}
	const first = "https://far.example/x https://elsewhere.example body"
	part := make([]byte, len(first))
	if _, err := io.ReadFull(body, part); err != nil || string(part) != first {
		t.Errorf("%s, %v", part, err)
	}
	next <- " and the rest"
	if rest, err := io.ReadAll(body); err != nil || string(rest) != " and the rest" {
		t.Errorf("%s, %v", rest, err)
	}
	var thrown *Thrown
	if _, _, err := Do(t.Context(), to, Call{Worker: "thrower"}, nil); !errors.As(err, &thrown) ||
		thrown.Name != "TypeError" || !thrown.Flags["overloaded"] {
		t.Errorf("thrown: %v", err)
	}
	if _, _, err := Do(t.Context(), to, Call{Worker: "nobody"}, nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("nobody: %v", err)
	}
	to.Token = "guessed"
	if _, _, err := Do(t.Context(), to, c, strings.NewReader("body")); err == nil ||
		!strings.Contains(err.Error(), "403") {
		t.Errorf("a wrong token: %v", err)
	}
}

// Sessions know each other's Workers, guests through their owner, and forget those that have ended.
func TestRunning(t *testing.T) {
	w := newWorld(t)
	first, second, third := w.join("a"), w.join("b"), w.join("c")
	// Introductions come before the answer to what is asked after them.
	third.declare(producing("q"))
	second.metrics("q")
	third.metrics("q")
	second.metrics("q")
	for _, c := range []struct {
		from, of *node
		worker   string
	}{{first, second, "b"}, {first, third, "c"}, {second, first, "a"}, {second, third, "c"}, {third, second, "b"}} {
		at, ok := c.from.Running(c.worker)
		if !ok || at.URL != c.of.web.URL || at.Token != c.of.o.Token {
			t.Errorf("%s: %+v, %t", c.worker, at, ok)
		}
	}
	if _, ok := second.Running("b"); ok {
		t.Error("a session is its own neighbour")
	}
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	first.await(Left)
	second.metrics("q")
	for _, n := range []*node{first, second} {
		if at, ok := n.Running("c"); ok {
			t.Errorf("a session that has ended is still at %+v", at)
		}
	}
}
