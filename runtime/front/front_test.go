package front

import (
	"bufio"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"eddy/runtime/worker"
)

// A length that a script gives does not count: the body has its own, or is sent in chunks.
func TestFrontLength(t *testing.T) {
	s := serve(t, frontWorker(t))
	for _, c := range []struct {
		path, body string
		length     int64
	}{{"/length?n=5", "eleven byte", 11}, {"/length?n=50", "eleven byte", 11}, {"/length?n=3&stream", "streamed", -1}} {
		res, body := s.ask("GET", c.path, "")
		if res.StatusCode != 200 || body != c.body || res.ContentLength != c.length {
			t.Errorf("%s: %d %q %d", c.path, res.StatusCode, body, res.ContentLength)
		}
	}
	if res, body := s.ask("HEAD", "/length?n=5", ""); res.ContentLength != 11 || body != "" {
		t.Errorf("HEAD: %d %q", res.ContentLength, body)
	}
}

func TestFrontRequest(t *testing.T) { // RT9
	s := serve(t, frontWorker(t))
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		want                     string
	}{
		{"get", "GET", "/seen?q=1%202", "", []string{"Host", "shop.example:99"},
			`{"method":"GET","url":"http://shop.example:99/seen?q=1%202","host":"shop.example:99","encoding":"br, ` +
				`gzip","ip":"127.0.0.1","colo":"DFW","body":false}`},
		{"accept-encoding is the platform's", "GET", "/seen", "",
			[]string{"Host", "x.test", "Accept-Encoding", "identity"},
			`{"method":"GET","url":"http://x.test/seen","host":"x.test","encoding":"br, gzip","ip":"127.0.0.1",` +
				`"colo":"DFW","body":false}`},
		{"a client on this machine may claim an address", "POST", "/seen", "x",
			[]string{"Host", "x.test", "Cf-Connecting-Ip", "9.9.9.9"},
			`{"method":"POST","url":"http://x.test/seen","host":"x.test","encoding":"br, gzip","ip":"9.9.9.9",` +
				`"colo":"DFW","body":true}`},
		{"body", "PUT", "/echo", "ünï\x00code", nil, "ünï\x00code"},
		{"empty body", "POST", "/echo", "", nil, ""},
		{"large body", "POST", "/echo", strings.Repeat("0123456789abcdef", 1<<16), nil,
			strings.Repeat("0123456789abcdef", 1<<16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got := s.ask(c.method, c.path, c.body, c.header...); got != c.want {
				t.Errorf("\n got %.300s\nwant %.300s", got, c.want)
			}
		})
	}
}

func TestFrontResponse(t *testing.T) {
	s := serve(t, frontWorker(t))
	for _, c := range []struct {
		method, path string
		status       int
		length       int64
		contentType  string
		body         string
	}{
		{"GET", "/status?n=200", 200, 4, "text/plain;charset=UTF-8", "body"},
		{"HEAD", "/status?n=200", 200, 4, "text/plain;charset=UTF-8", ""},
		{"GET", "/status?n=204", 204, 0, "", ""},
		{"GET", "/status?n=304", 304, 0, "", ""},
		{"GET", "/status?n=418", 418, 4, "text/plain;charset=UTF-8", "body"},
		{"GET", "/bare", 200, 2, "", "\x01\x02"}, // nothing guesses a type
		{"GET", "/manual", 200, 8, "text/plain;charset=UTF-8", "as it is"},
	} {
		res, body := s.ask(c.method, c.path, "")
		if res.StatusCode != c.status || res.ContentLength != c.length ||
			res.Header.Get("Content-Type") != c.contentType || body != c.body {
			t.Errorf("%s %s: %d, length %d, type %q, body %q; want %+v", c.method, c.path, res.StatusCode,
				res.ContentLength, res.Header.Get("Content-Type"), body, c)
		}
	}
	if res, _ := s.ask("GET", "/cookies", ""); strings.Join(res.Header.Values("Set-Cookie"), "; ") != "a=1; b=2" {
		t.Errorf("cookies: %q", res.Header.Values("Set-Cookie"))
	}
	res, body := s.ask("GET", "/gzip", "")
	if res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("gzip: %v", res.Header)
	}
	zr, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(zr); err != nil || string(plain) != "compressed by the front" {
		t.Errorf("gzip: %q %v", plain, err)
	}
}

// A body that fails after the head is out breaks the connection off, so that nobody takes the half for the whole.
func TestFrontBrokenBody(t *testing.T) {
	s := serve(t, frontWorker(t))
	res, err := plainTransport.RoundTrip(request(t, "GET", s.web.URL+"/breaks", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if string(body) != "first" || err == nil {
		t.Errorf("%q, error %v; want the first half and an error", body, err)
	}
	s.out.await("half way", 1)
}

// A body that fails before its first byte has an answer that says so; the head has not gone out.
func TestFrontEarlyFailure(t *testing.T) {
	s := serve(t, frontWorker(t))
	res, body := s.ask("GET", "/early", "")
	if res.StatusCode != 500 || !strings.Contains(body, "Error: no byte yet") {
		t.Errorf("%d %q", res.StatusCode, body)
	}
}

// The head of a body that is written later goes out at once: an EventSource is open when it has it.
func TestFrontHeadBeforeTheFirstByte(t *testing.T) {
	s := serve(t, frontWorker(t))
	res, err := plainTransport.RoundTrip(request(t, "GET", s.web.URL+"/late", nil)) // returns when the head is there
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != "text/event-stream" {
		t.Errorf("%d %q", res.StatusCode, got)
	}
	s.expect("/now", "now") // only then it writes
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != "late" {
		t.Errorf("%q %v", body, err)
	}
}

func TestFrontStreamsBothWays(t *testing.T) {
	s := serve(t, frontWorker(t))
	in, feed := io.Pipe()
	if _, err := feedLater(feed, "a\n"); err != nil {
		t.Fatal(err)
	}
	res, err := plainTransport.RoundTrip(request(t, "POST", s.web.URL+"/lines", in))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for _, next := range []string{"b\n", "c\n", ""} {
		line, err := lines.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "got ") {
			t.Fatalf("%q %v", line, err)
		}
		if next == "" {
			break
		}
		if _, err := io.WriteString(feed, next); err != nil { // only now: the answer to the line before has come
			t.Fatal(err)
		}
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) != 0 {
		t.Errorf("after the end: %q %v", rest, err)
	}
}

// feedLater writes the first text when somebody reads.
func feedLater(w *io.PipeWriter, text string) (int, error) {
	go func() {
		if _, err := io.WriteString(w, text); err != nil {
			w.CloseWithError(err)
		}
	}()
	return len(text), nil
}

func TestErrorPage(t *testing.T) { // RT15
	s := serve(t, frontWorker(t))
	res, body := s.ask("GET", "/throws", "", "User-Agent", "curl/8.5.0", "Accept", "*/*")
	if res.StatusCode != 500 || res.Header.Get("Content-Type") != "text/plain;charset=UTF-8" ||
		!strings.HasPrefix(body, "RangeError: much <too> far\n    at ") || !strings.Contains(body, "index.js:27:") {
		t.Errorf("plain: %d %v\n%s", res.StatusCode, res.Header, body)
	}
	res, body = s.ask("GET", "/throws", "", "User-Agent", "Mozilla/5.0", "Accept", "text/html,*/*")
	if res.StatusCode != 500 || res.Header.Get("Content-Type") != "text/html;charset=utf-8" {
		t.Errorf("html: %d %v", res.StatusCode, res.Header)
	}
	for _, want := range []string{"<h1>RangeError</h1>", "<p>much &lt;too&gt; far</p>", "throw new RangeError(",
		"index.js:27:"} {
		if !strings.Contains(body, want) {
			t.Errorf("html: no %q in\n%s", want, body)
		}
	}
	if res, body = s.ask("GET", "/throws-text", "", "Accept", "application/json"); res.StatusCode != 500 ||
		!strings.Contains(body, "only a text") {
		t.Errorf("a thrown text: %d %q", res.StatusCode, body)
	}
	if res, body = s.ask("GET", "/nothing", "", "Accept", "application/json"); res.StatusCode != 500 ||
		!strings.Contains(body, "TypeError") {
		t.Errorf("no response: %d %q", res.StatusCode, body)
	}
	s.wantLines("uncaught RangeError: much <too> far", "GET /throws 500 Internal Server Error")
}

// A loop that the CPU limit ends is a 503, and the Worker lives on. The script itself says when the limit is reached.
func TestEndlessLoop(t *testing.T) {
	s := serveInstalled(t, func(iso *worker.Isolate) error {
		return iso.Runtime().Set("limitReached", iso.Loop.EndTurn)
	}, frontWorker(t))
	if res, _ := s.ask("GET", "/forever", ""); res.StatusCode != 503 {
		t.Errorf("an endless loop: %d, want 503", res.StatusCode)
	}
	s.expect("/echo", "")
}
