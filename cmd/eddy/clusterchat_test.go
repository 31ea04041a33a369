package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Members of a chat room that come through different nodes hear each other: the room is on one of them. While the nodes
// share out their shards the room may go to the other one, which ends its sockets; then the members come again.
func TestChatOnCluster(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	f := newFleet(t, "cmd/eddy: TestChatOnCluster", "../../examples/chat")
	if f == nil {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, name := range []string{"a", "b"} {
		f.add(name)
	}
	for _, n := range f.nodes {
		n.await()
	}
	for try := 0; ; try++ {
		err := f.chat(ctx, fmt.Sprint("room", try))
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// chat lets a member come through each node and say something that all must hear.
func (f *fleet) chat(ctx context.Context, room string) error {
	var members []*websocket.Conn
	hear := func(m int, want string) error {
		for {
			_, text, err := members[m].Read(ctx)
			if err != nil || string(text) == want {
				return err
			}
		}
	}
	for _, n := range f.nodes {
		c, _, err := websocket.Dial(ctx, strings.Replace(n.at(), "http", "ws", 1)+"/"+room+"?name="+n.name, nil)
		if err != nil {
			return err
		}
		defer func() { _ = c.CloseNow() }() // the other side may have
		members = append(members, c)
		for j := range members {
			if err := hear(j, n.name+" joined"); err != nil {
				return err
			}
		}
	}
	for i, n := range f.nodes {
		if err := members[i].Write(ctx, websocket.MessageText, []byte("hello")); err != nil {
			return err
		}
		for j := range members {
			if err := hear(j, n.name+": hello"); err != nil {
				return err
			}
		}
	}
	return nil
}
