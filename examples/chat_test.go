package examples

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// member is a client in a chat room.
type member struct {
	t    *testing.T
	conn *websocket.Conn
}

func (s *session) join(room, name string) *member {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, strings.Replace(s.url, "http", "ws", 1)+"/"+room+"?name="+name, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return &member{s.t, conn}
}

func (m *member) send(text string) {
	m.t.Helper()
	if err := m.conn.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *member) hear(want string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	_, b, err := m.conn.Read(ctx)
	if err != nil || string(b) != want {
		m.t.Fatalf("heard %q, %v; want %q", b, err, want)
	}
}

// WS4, WS5, WS14, WS15, WS17: rooms, tags, attachments, auto-response, and sockets that outlive the object in memory.
func TestChat(t *testing.T) {
	s := run(t, "chat/wrangler.jsonc")
	ada := s.join("lobby", "ada")
	ada.hear("ada joined")
	bob := s.join("lobby", "bob")
	ada.hear("bob joined")
	bob.hear("bob joined")
	ada.send("hello")
	ada.hear("ada: hello")
	bob.hear("ada: hello")
	ada.send("ping")
	ada.hear("pong")
	s.clock.Advance(t.Context(), time.Minute) // the room leaves memory, its members stay
	if out := s.out.String(); !strings.Contains(out, "chat-Room") {
		t.Error("nothing was reported of the room")
	}
	bob.send("still here")
	ada.hear("bob: still here")
	bob.hear("bob: still here")
	s.expect("/lobby", `[{"name":"ada","text":"hello"},{"name":"bob","text":"still here"}]`)
	s.expect("/other", `[]`)
	if err := bob.conn.Close(websocket.StatusCode(4000), "going"); err != nil {
		t.Error(err)
	}
	ada.hear("bob left")
}
