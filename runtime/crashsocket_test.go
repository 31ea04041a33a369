package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// socketWorker writes what a message says before it answers.
var socketWorker = script("crashsocket", "socket.js")

const socketConfig = `{
	"name": "sockets", "main": "index.js", "compatibility_date": "2026-04-01",
	"durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Room"] }]
}`

func writeProject(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func dialRoom(t *testing.T, url, who string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), strings.Replace(url, "http", "ws", 1)+"/?who="+who, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// TestKillSockets kills a process with hibernatable sockets open, again and again. Clients see the connection end
// without a close (1006), what was written before an answer was sent is there (GT7), and the next process knows nothing
// of the sockets, their attachments and what was on its way to them (WS14).
func TestKillSockets(t *testing.T) {
	rounds := *crashRounds
	if testing.Short() {
		rounds = min(rounds, 3)
	}
	dir := writeProject(t, map[string]string{"wrangler.jsonc": socketConfig, "index.js": socketWorker})
	answered := map[int]bool{}
	next := 0
	for range rounds {
		c := startChild(t, dir)
		client := &http.Client{}
		if body, ok := c.ask(client, "/said"); !ok || !strings.Contains(body, `"sockets":0,"closed":0`) {
			t.Errorf("a new process knows of sockets: %s", body)
		}
		client.CloseIdleConnections()
		conns := []*websocket.Conn{dialRoom(t, c.url, "a"), dialRoom(t, c.url, "b"), dialRoom(t, c.url, "c")}
		enough := 1 + rand.IntN(30)
		for sent := range enough + 5 {
			conn := conns[sent%len(conns)]
			next++
			if err := conn.Write(t.Context(), websocket.MessageText, fmt.Append(nil, next)); err != nil {
				t.Fatal(err)
			}
			if sent >= enough {
				continue // on its way when the process dies
			}
			_, b, err := conn.Read(t.Context())
			if err != nil || string(b) != fmt.Sprint("wrote ", next) {
				t.Fatalf("heard %q, %v", b, err)
			}
			answered[next] = true
		}
		c.kill()
		for _, conn := range conns {
			for {
				_, b, err := conn.Read(t.Context())
				var closed websocket.CloseError
				if errors.As(err, &closed) {
					t.Errorf("a close frame came from a process that was killed: %v", closed)
				}
				if err != nil {
					break
				}
				var n int
				if _, err := fmt.Sscanf(string(b), "wrote %d", &n); err != nil {
					t.Fatal(err)
				}
				answered[n] = true
			}
		}
	}
	c := startChild(t, dir)
	defer c.kill()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	body, _ := c.ask(client, "/said")
	for n := range answered {
		if !strings.Contains(body, fmt.Sprintf("[%d,", n)) && !strings.Contains(body, fmt.Sprintf(",%d,", n)) &&
			!strings.Contains(body, fmt.Sprintf(",%d]", n)) && !strings.Contains(body, fmt.Sprintf("[%d]", n)) {
			t.Errorf("the answer to %d was heard, what it says is not there", n)
		}
	}
	t.Logf("%d kills, %d answers", rounds, len(answered))
}

// WS17, GT13: hibernatable sockets stay open while the code is exchanged, with tags and attachments, and the next
// message runs the new code.
func TestSocketsOutliveReload(t *testing.T) {
	dir := writeProject(t, map[string]string{"wrangler.jsonc": socketConfig, "index.js": socketWorker})
	s, err := Start(context.Background(), Options{Dir: dir, Listen: true, Port: -1})
	if err != nil {
		t.Fatal(Explain(err, false))
	}
	defer func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	one, two := dialRoom(t, s.URL(), "ada"), dialRoom(t, s.URL(), "bob")
	ask := func(conn *websocket.Conn, want string) {
		t.Helper()
		if err := conn.Write(t.Context(), websocket.MessageText, []byte("who")); err != nil {
			t.Fatal(err)
		}
		if _, b, err := conn.Read(t.Context()); err != nil || string(b) != want {
			t.Fatalf("heard %q, %v; want %q", b, err, want)
		}
	}
	ask(one, "v1 ada tag ada 2")
	ask(two, "v1 bob tag bob 2")
	for version := 2; version < 5; version++ {
		text := strings.Replace(socketWorker, `"v1"`, fmt.Sprintf(`"v%d"`, version), 1)
		if err := os.WriteFile(filepath.Join(dir, "index.js"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(context.Background(), ""); err != nil {
			t.Fatal(Explain(err, false))
		}
		ask(one, fmt.Sprintf("v%d ada tag ada 2", version))
		ask(two, fmt.Sprintf("v%d bob tag bob 2", version))
	}
}
