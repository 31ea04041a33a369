package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/rogpeppe/go-internal/testscript"

	"eddy/runtime/webapi/websocket"
)

// cmdSocket opens a WebSocket of the session, sends texts, of which each has an answer, and closes it. It waits as long
// as that takes: go test's own time-out ends what hangs.
func cmdSocket(ts *testscript.TestScript, _ bool, args []string) {
	conn, res, err := websocket.Dial(context.Background(), http.DefaultTransport, ts.Getenv("URL")+args[0], "",
		http.Header{})
	ts.Check(err)
	if conn == nil {
		ts.Fatalf("no WebSocket at %s, but %s", args[0], res.Status)
	}
	defer conn.Close()
	for _, text := range args[1:] {
		ts.Check(conn.Send(websocket.Message{Text: text}))
		answer, err := conn.Receive()
		ts.Check(err)
		fmt.Fprintln(ts.Stdout(), answer.Text)
	}
	ts.Check(conn.Send(websocket.Message{Kind: websocket.Close, Code: 1000, Reason: "bye"}))
	answer, err := conn.Receive()
	ts.Check(err)
	fmt.Fprintln(ts.Stdout(), "closed", answer.Code)
}
