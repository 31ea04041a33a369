package explorer

import (
	"fmt"
	"strings"
	"testing"

	"eddy/runtime/control"
	"eddy/runtime/running"
	"eddy/wrangler"
)

// The drawing says who sends what to whom, with counts on the way and what died marked, and no two boxes overlap.
func TestDraw(t *testing.T) {
	shop := &wrangler.Config{Name: "shop",
		Queues:         wrangler.QueuesSection{Producers: []wrangler.Producer{{Binding: "JOBS", Queue: "jobs"}}},
		DurableObjects: []wrangler.DurableObject{{Name: "CART", ClassName: "Cart"}},
		Services:       []wrangler.Service{{Binding: "MAIL", Service: "mailer"}},
		Triggers:       wrangler.Triggers{Crons: []wrangler.Cron{{Expr: "* * * * *"}}}}
	queue := func(name string, ready, flight int, backlog int64, c *control.Consumer) QueueRow {
		return QueueRow{Queue: control.Queue{Name: name, Ready: ready, InFlight: flight, Backlog: backlog, Consumer: c}}
	}
	d := draw([]Worker{{Name: "shop", URL: "http://localhost:1", Config: shop}},
		[]running.Guest{{Workers: []string{"mailer"}}}, []QueueRow{
			queue("dead", 2, 0, 2, nil),
			queue("jobs", 3, 1, 4, &control.Consumer{Type: "worker", Script: "shop", DeadLetterQueue: "dead"}),
			queue("pulled", 0, 0, 0, &control.Consumer{Type: "http_pull"}),
			queue("spare", 0, 0, 0, nil),
		})
	var out strings.Builder
	for _, n := range d.Nodes {
		fmt.Fprintf(&out, "%d %s (%s)%s\n", n.Column, n.ID, n.Note, map[bool]string{true: " dead"}[n.Alert])
	}
	for _, e := range d.Edges {
		fmt.Fprintf(&out, "%s -> %s %s%s\n", e.From, e.To, e.Text, map[bool]string{true: " dead"}[e.Alert])
	}
	const want = `1 worker shop ()
0 request http://localhost:1 ()
0 cron * * * * * ()
2 queue jobs (4 messages)
2 object Cart (objects)
2 service mailer (service)
1 worker mailer (another session)
3 consumer shop (queue())
4 dead dead (2 dead) dead
3 pull pulled (leases)
2 queue pulled (0 messages)
2 queue spare (0 messages)
request http://localhost:1 -> worker shop 
cron * * * * * -> worker shop 
worker shop -> queue jobs 3 wait
worker shop -> object Cart 
worker shop -> service mailer 
queue jobs -> consumer shop 1 in flight
consumer shop -> dead dead  dead
queue pulled -> pull pulled 
`
	if out.String() != want {
		t.Errorf("drawn:\n%s\nwant:\n%s", out.String(), want)
	}
	for i, a := range d.Nodes {
		if a.X < 0 || a.Y < 0 || a.X+boxWidth > d.Width || a.Y+boxHeight > d.Height {
			t.Errorf("%s is outside", a.ID)
		}
		for _, b := range d.Nodes[i+1:] {
			if a.X == b.X && a.Y < b.Y+boxHeight && b.Y < a.Y+boxHeight {
				t.Errorf("%s and %s overlap", a.ID, b.ID)
			}
		}
	}
}
