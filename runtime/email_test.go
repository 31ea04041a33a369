package runtime

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func startMail(t *testing.T, database string) (*project, *served) {
	p := newProject(t, "wrangler.jsonc", script("email", "wrangler.jsonc"), "index.js", script("email", "index.js"))
	return p, p.serve(func(o *Options) {
		o.Environ = []string{"CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_ENV=mysql://a:b@" + database + "/d?x=y"}
	})
}

// send() takes a raw message or its parts, checks them, and keeps what is sent as a file that the log names (BIND-10,
// BIND-11, BIND-12, BIND-13, BIND-14, BIND-15, BIND-16, BIND-17). A Hyperdrive binding has the parts of its connection
// string, that of the environment before that of the file, and one without any fails when it is used (BIND-40, BIND-41,
// BIND-42, BIND-43).
func TestSendEmail(t *testing.T) {
	p, s := startMail(t, "db.local")
	if got, want := s.read("/"), strings.TrimSuffix(script("email", "expect"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	files, err := filepath.Glob(filepath.Join(p.dir, ".wrangler/state/v3/eddy/email/*.eml"))
	if err != nil || len(files) != 3 {
		t.Fatalf("kept %v, %v", files, err)
	}
	var all string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all += string(raw)
		if !strings.Contains(s.out.String(), file) {
			t.Errorf("nothing names %s", file)
		}
	}
	for _, want := range []string{"Subject: =?utf-8?q?H=C3=A4llo?=", "YXR0YWNoZWQ=", "filename=a.txt", "body\r\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("no message has %q:\n%s", want, all)
		}
	}
	if n := strings.Count(s.out.String(), `"NONE"'s "localConnectionString"`); n != 1 {
		t.Errorf("warned %d times", n)
	}
}

// email() gets a message on both paths; what it does is answered and logged (BIND-20, BIND-22, BIND-23, BIND-24,
// BIND-25).
func TestEmailHandler(t *testing.T) {
	_, s := startMail(t, "db.local")
	send := func(path, body, want string, status int) {
		t.Helper()
		if res, got := s.ask("POST", path, body); got != want || res.StatusCode != status {
			t.Errorf("%s: %d %s", path, res.StatusCode, got)
		}
	}
	const way = "/cdn-cgi/handler/email?from=a@x.org&to=b@y.org"
	message := func(subject string) string {
		return "From: a@x.org\r\nTo: b@y.org\r\nMessage-ID: <9@x>\r\nSubject: " + subject + "\r\n\r\nhello"
	}
	send(way, message("hi"), "Worker successfully processed email", 200)
	send(strings.Replace(way, "handler", "local", 1), message("reject"),
		"Worker rejected email with the following reason: no 71 71", 400)
	send("/cdn-cgi/handler/email", message("hi"), "Invalid email. Your request must include URL parameters specifying "+
		"the `from` and `to` addresses, as well as an email in the body", 400)
	send(way, "Subject: x\r\n\r\n", "Email could not be parsed: invalid or no message id provided", 400)
	res, text := s.ask("POST", way+"&format=json", message("throw"))
	if res.StatusCode != 500 || !strings.Contains(text, `"outcome":"exception"`) {
		t.Errorf("a handler that throws: %d %s", res.StatusCode, text)
	}
	_, text = s.ask("POST", way+"&format=json", message("hi"))
	var result struct {
		Outcome  string
		Forwards []struct {
			MessageID, Recipient string
			Headers              [][2]string
		}
		Replies []struct{ Sender, Raw string }
		Events  []struct{ Type string }
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err, text)
	}
	if result.Outcome != "ok" || len(result.Forwards) != 1 || result.Forwards[0].Recipient != "next@example.org" ||
		len(result.Forwards[0].Headers) != 1 || len(result.Replies) != 1 || result.Replies[0].Sender != "b@y.org" ||
		!strings.HasPrefix(result.Replies[0].Raw, "References: <9@x>\r\n") || len(result.Events) != 2 {
		t.Errorf("result: %s", text)
	}
	s.out.await("Email handler forwarded message with\n  rcptTo: next@example.org\n  x-from: a@x.org", 2)
	s.out.await("Email handler replied to sender with the following message:\n  ", 2)
	s.out.await(`Email handler rejected message with the following reason: "no 71 71"`, 1)
}

// connect() of a Hyperdrive binding dials the database itself (BIND-47).
func TestHyperdriveConnects(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return // the test has ended
		}
		_, _ = conn.Write([]byte("greeting")) // a failure shows in what the Worker reads
		_ = conn.Close()
	}()
	_, s := startMail(t, l.Addr().String())
	s.expect("/connect", "greeting")
}
