package runtime

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A body that is not what HTTP says is the client's fault: 400, and a line that says so, unless the script catches it
// or fails by itself. To the script it is a connection that was lost. No client that stopped sending reads 200.
func TestClientFault(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", script("clientfault", "index.js")).serve()
	const notHex, tooMuch = "zz\r\nhello\r\n0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n"
	for _, c := range []struct {
		path, body string
		status     int
		answer     string
	}{
		{"/", notHex, 400, "Bad Request: the client's request body cannot be read: invalid byte in chunk length\n"},
		{"/", tooMuch, 400, "Bad Request: the client's request body cannot be read: malformed chunked encoding\n"},
		{"/", "ffffffffffffffffff\r\n", 400,
			"Bad Request: the client's request body cannot be read: http chunk length too large\n"},
		{"/stream", "5\r\nhello\r\nqq\r\n", 400,
			"Bad Request: the client's request body cannot be read: invalid byte in chunk length\n"},
		{"/caught", notHex, 200, "caught Error: Network connection lost."},
		{"/unread", notHex, 200, "unread"},
		{"/other", notHex, 500, "Error: mine"},
	} {
		res, body := s.raw(c.path, c.body, false)
		if res == nil || res.StatusCode != c.status || !strings.HasPrefix(body, c.answer) {
			t.Errorf("%s %q: %+v %q, want %d %q", c.path, c.body, res, body, c.status, c.answer)
		}
	}
	if res, body := s.raw("/", "5\r\nhel", true); res != nil {
		t.Errorf("a client that stopped sending reads %d %q", res.StatusCode, body)
	}
	// The head of this answer may be out before the fault is met: then the connection breaks off.
	if res, body := s.raw("/piped", notHex, false); res != nil && res.StatusCode != 400 {
		t.Errorf("a fault that is met late is answered %d %q", res.StatusCode, body)
	}
	out := s.out.String()
	if strings.Count(out, ": the client's request body cannot be read: ") != 5 ||
		strings.Contains(out, "internal error") || strings.Contains(out, "✘ POST") {
		t.Errorf("the session said\n%s", out)
	}
}

// raw sends a request whose body is these bytes, and perhaps no more after them; res is nil if no whole answer came.
func (s *served) raw(path, body string, stop bool) (res *http.Response, text string) {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	head := "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n%s"
	if _, err := fmt.Fprintf(conn, head, path, body); err != nil {
		s.t.Fatal(err)
	}
	if stop {
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			s.t.Fatal(err)
		}
	}
	res, err = http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil, ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, ""
	}
	return res, string(b)
}

// A body is answered while it comes: what a script writes of its beginning goes out before the client has sent the end,
// and a large one is not taken for a client's fault.
func TestAnswerWhileTheBodyComes(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", script("clientfault", "index.js")).serve()
	send, body := io.Pipe()
	answers := make(chan *http.Response, 1)
	go func() {
		res, err := http.Post(s.web.URL+"/piped", "", send)
		if err != nil {
			t.Error(err)
		}
		answers <- res
	}()
	write := func(text string) {
		t.Helper()
		if _, err := io.WriteString(body, text); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	res := <-answers
	if res == nil {
		t.FailNow()
	}
	defer res.Body.Close()
	got := make([]byte, 5)
	if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != "first" {
		t.Fatalf("got %q, %v", got, err)
	}
	large := strings.Repeat("x", 1<<20)
	go func() {
		write(large)
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	}()
	rest, err := io.ReadAll(res.Body)
	if err != nil || string(rest) != large {
		t.Errorf("the rest: %d bytes, %v", len(rest), err)
	}
	// An answer does not wait for a body that nobody reads, and the connection serves the next request.
	for range 2 {
		for _, c := range []struct {
			path string
			body io.Reader
		}{
			{"/unread", strings.NewReader(large)},
			{"/unread", io.MultiReader(strings.NewReader(large))}, // no declared length
			{"/unread", strings.NewReader("short")},
			{"/", strings.NewReader(large)},
			{"/", io.MultiReader(strings.NewReader(large))},
		} {
			res, err := http.Post(s.web.URL+c.path, "", c.body)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			if err != nil || len(b) == 0 || res.Body.Close() != nil || res.Close {
				t.Errorf("%s %T: %d bytes, %v, the connection ends: %t", c.path, c.body, len(b), err, res.Close)
			}
		}
	}
	if out := s.out.String(); strings.Contains(out, "client's") {
		t.Errorf("the session said\n%s", out)
	}
}
