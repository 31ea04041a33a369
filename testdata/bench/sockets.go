package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// mostSockets is how many the client can have open with each of four sides: a process may have 20,000 file descriptors
// where this was written.
const mostSockets = 4000

// openSockets are the WebSockets of each server during a path.
var openSockets = map[*server][]*websocket.Conn{}

// sockets opens so many WebSockets, all in all.
func sockets(count int) func(*server) error {
	return func(v *server) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for len(openSockets[v]) < count {
			c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(v.url, "http")+"/socket", nil)
			if err != nil {
				return fmt.Errorf("%s: socket %d: %w", v.name, len(openSockets[v]), err)
			}
			openSockets[v] = append(openSockets[v], c)
		}
		return nil
	}
}

// closeSockets ends them, lest they be in the way of what is measured next.
func closeSockets(v *server) {
	for _, c := range openSockets[v] {
		_ = c.CloseNow() // its server may have ended
	}
	delete(openSockets, v)
}

// echoes sends n messages over the open sockets by turns, sixteen at a time, and waits for each one's echo.
func echoes(v *server, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	list := openSockets[v]
	parts := min(16, len(list))
	errs := make([]error, parts)
	var all sync.WaitGroup
	for part := range parts {
		all.Go(func() {
			for i := part; i < n && errs[part] == nil; i += parts {
				// Each part has its own sockets: every parts-th one.
				own := (len(list) - part + parts - 1) / parts
				c := list[part+i/parts%own*parts]
				if errs[part] = c.Write(ctx, websocket.MessageText, []byte("hi")); errs[part] == nil {
					_, _, errs[part] = c.Read(ctx)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
