package explorer

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"eddy/runtime/running"
	"eddy/wrangler"
)

// Drawing is the topology: who sends what to whom, in columns from what starts events to where messages end.
type Drawing struct {
	Width  int         `json:"width"`
	Height int         `json:"height"`
	Nodes  []DrawnNode `json:"nodes"`
	Edges  []DrawnEdge `json:"edges"`
}

// DrawnNode is a box of the drawing.
type DrawnNode struct {
	ID string `json:"id"`
	// Kind is request, cron, worker, queue, object, service, workflow, consumer or dead-letters.
	Kind  string `json:"kind"`
	Label string `json:"label"`
	URL   string `json:"url,omitempty"`
	// Note is a second line: a count.
	Note string `json:"note,omitempty"`
	// Alert says that something died here.
	Alert  bool `json:"alert,omitempty"`
	Column int  `json:"column"`
	X      int  `json:"x"`
	Y      int  `json:"y"`
}

// DrawnEdge leads from one box to another. Text is its live count.
type DrawnEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Text  string `json:"text,omitempty"`
	Alert bool   `json:"alert,omitempty"`
	// X1 to Y2 are its ends.
	X1 int `json:"x1"`
	Y1 int `json:"y1"`
	X2 int `json:"x2"`
	Y2 int `json:"y2"`
}

// The measures of the drawing, in pixels.
const (
	boxWidth, boxHeight   = 150, 44
	columnStep, lineStep  = 230, 62
	drawingEdge, boxSpace = 10, 8
)

// The columns of the drawing.
const (
	columnTriggers = iota
	columnWorkers
	columnTargets
	columnConsumers
	columnDead
)

// sketch is a drawing without places.
type sketch struct {
	d    *Drawing
	seen map[string]int // boxes by id
	rows map[string]QueueRow
}

// draw makes the drawing of what the configurations say and what the queues hold.
func draw(workers []Worker, guests []running.Guest, rows []QueueRow) *Drawing {
	s := &sketch{d: &Drawing{Nodes: []DrawnNode{}, Edges: []DrawnEdge{}}, seen: map[string]int{},
		rows: map[string]QueueRow{}}
	for _, q := range rows {
		s.rows[q.Name] = q
	}
	for _, w := range workers {
		s.worker(w)
	}
	for _, g := range guests {
		for _, name := range g.Workers {
			s.box(DrawnNode{ID: "worker " + name, Kind: "worker", Label: name, URL: g.URL, Note: "another session",
				Column: columnWorkers})
		}
	}
	for _, q := range rows {
		s.consumer(q)
	}
	s.place()
	return s.d
}

func (s *sketch) worker(w Worker) {
	id := "worker " + w.Name
	s.box(DrawnNode{ID: id, Kind: "worker", Label: w.Name, URL: Base + "events?" + string(query("q", "worker:"+w.Name)),
		Column: columnWorkers})
	if w.URL != "" {
		s.box(DrawnNode{ID: "request " + w.URL, Kind: "request", Label: strings.TrimPrefix(w.URL, "http://"),
			URL:    w.URL,
			Column: columnTriggers})
		s.edge("request "+w.URL, id, "", false)
	}
	for _, c := range w.Config.Triggers.Crons {
		s.box(DrawnNode{ID: "cron " + c.Expr, Kind: "cron", Label: c.Expr, URL: Base + "time", Column: columnTriggers})
		s.edge("cron "+c.Expr, id, "", false)
	}
	for _, p := range w.Config.Queues.Producers {
		q := s.queue(p.Queue)
		text := ""
		if n := s.rows[p.Queue].Ready + s.rows[p.Queue].Delayed; n > 0 {
			text = fmt.Sprintf("%d wait", n)
		}
		s.edge(id, q, text, false)
	}
	for _, b := range w.Config.DurableObjects {
		s.box(DrawnNode{ID: "object " + b.ClassName, Kind: "object", Label: b.ClassName, Note: "objects",
			URL: Base + "objects?" + string(query("q", b.ClassName)), Column: columnTargets})
		s.edge(id, "object "+b.ClassName, "", false)
	}
	for _, b := range w.Config.Workflows {
		s.box(DrawnNode{ID: "workflow " + b.Name, Kind: "workflow", Label: b.Name, Note: "workflow",
			URL: Base + "workflows/" + url.PathEscape(b.Name), Column: columnTargets})
		s.edge(id, "workflow "+b.Name, "", false)
	}
	for _, b := range w.Config.Services {
		s.box(DrawnNode{ID: "service " + b.Service, Kind: "service", Label: b.Service, Note: "service",
			URL: Base + "events?" + string(query("q", "worker:"+b.Service)), Column: columnTargets})
		s.edge(id, "service "+b.Service, "", false)
	}
}

// consumer draws who takes a queue's messages, and where they go when they fail.
func (s *sketch) consumer(q QueueRow) {
	if q.Consumer == nil {
		if _, drawn := s.seen["queue "+q.Name]; !drawn && q.DeadLetters == 0 && !s.isTarget(q.Name) {
			s.queue(q.Name)
		}
		return
	}
	if q.Consumer.DeadLetterQueue == "" && s.isTarget(q.Name) {
		return // its box is that of dead letters, which says who takes them
	}
	id, label, note := "consumer "+q.Consumer.Script, q.Consumer.Script, "queue()"
	if label == "" {
		id, label, note = "pull "+q.Name, "pull consumer", "leases"
	}
	s.box(DrawnNode{ID: id, Kind: "consumer", Label: label, Note: note, Column: columnConsumers,
		URL: Base + "events?" + string(query("q", "queue:"+q.Name))})
	text := ""
	if q.InFlight > 0 {
		text = fmt.Sprintf("%d in flight", q.InFlight)
	}
	if q.Paused {
		text = "paused"
	}
	s.edge(s.queue(q.Name), id, text, q.Paused)
	dead := q.Consumer.DeadLetterQueue
	if dead == "" {
		return
	}
	n, note := s.rows[dead].Backlog, ""
	if c := s.rows[dead].Consumer; c != nil {
		note = " · " + cmp.Or(c.Script, "pulled")
	}
	s.box(DrawnNode{ID: "dead " + dead, Kind: "dead-letters", Label: dead, Alert: n > 0, Column: columnDead,
		Note: fmt.Sprintf("%d dead", n) + note, URL: Base + "dead-letters/" + url.PathEscape(dead)})
	s.edge(id, "dead "+dead, "", n > 0)
}

// isTarget tells whether a queue is some queue's dead letter queue.
func (s *sketch) isTarget(name string) bool {
	for _, q := range s.rows {
		if q.Consumer != nil && q.Consumer.DeadLetterQueue == name {
			return true
		}
	}
	return false
}

func (s *sketch) queue(name string) (id string) {
	q := s.rows[name]
	return s.box(DrawnNode{ID: "queue " + name, Kind: "queue", Label: name, Column: columnTargets,
		Note: many(int(q.Backlog), "message"), URL: Base + "queues/" + url.PathEscape(name),
		Alert: q.Health.Level == "critical"})
}

func (s *sketch) box(n DrawnNode) (id string) {
	if _, ok := s.seen[n.ID]; !ok {
		s.seen[n.ID] = len(s.d.Nodes)
		s.d.Nodes = append(s.d.Nodes, n)
	}
	return n.ID
}

func (s *sketch) edge(from, to, text string, alert bool) {
	e := DrawnEdge{From: from, To: to, Text: text, Alert: alert}
	if !slices.Contains(s.d.Edges, e) {
		s.d.Edges = append(s.d.Edges, e)
	}
}

// place gives every box its column and line; a column without boxes takes no room.
func (s *sketch) place() {
	var used [columnDead + 1]int
	for _, n := range s.d.Nodes {
		used[n.Column]++
	}
	var at [columnDead + 1]int
	x := drawingEdge
	for c := range used {
		if at[c] = x; used[c] > 0 {
			x += columnStep
		}
	}
	tallest := slices.Max(used[:])
	s.d.Width, s.d.Height = max(x-columnStep+boxWidth, 0)+drawingEdge,
		2*drawingEdge+tallest*lineStep-(lineStep-boxHeight)
	var line [columnDead + 1]int
	for i := range s.d.Nodes {
		n := &s.d.Nodes[i]
		n.X = at[n.Column]
		n.Y = drawingEdge + line[n.Column]*lineStep + (tallest-used[n.Column])*lineStep/2
		line[n.Column]++
	}
	for i := range s.d.Edges {
		e := &s.d.Edges[i]
		from, to := s.d.Nodes[s.seen[e.From]], s.d.Nodes[s.seen[e.To]]
		e.X1, e.Y1, e.X2, e.Y2 = from.X+boxWidth, from.Y+boxHeight/2, to.X, to.Y+boxHeight/2
	}
}

// Curve is the way of an edge, in the words of SVG.
func (e DrawnEdge) Curve() string {
	m := (e.X1 + e.X2) / 2
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", e.X1, e.Y1, m, e.Y1, m, e.Y2, e.X2, e.Y2)
}

// Middle is where an edge's text stands.
func (e DrawnEdge) Middle() [2]int { return [2]int{(e.X1 + e.X2) / 2, (e.Y1+e.Y2)/2 - boxSpace/2} }

// bindingURL is the page that shows what a binding leads to, "" for none.
func bindingURL(cfg *wrangler.Config, b wrangler.Binding) string {
	switch b.Kind {
	case wrangler.QueueBinding:
		return Base + "queues/" + url.PathEscape(b.Resource)
	case wrangler.DurableObjectBinding:
		class, _, _ := strings.Cut(b.Resource, ",")
		return Base + "objects?" + string(query("q", class))
	case wrangler.KVBinding:
		return Base + "kv/" + url.PathEscape(b.Resource)
	case wrangler.R2Binding:
		return Base + "r2/" + url.PathEscape(b.Resource)
	case wrangler.D1Binding:
		for _, d := range cfg.D1Databases {
			if d.Binding == b.Name {
				return Base + "d1/" + url.PathEscape(d.DatabaseID)
			}
		}
	case wrangler.WorkflowBinding:
		for _, w := range cfg.Workflows {
			if w.Binding == b.Name {
				return Base + "workflows/" + url.PathEscape(w.Name)
			}
		}
	case wrangler.SecretsStoreBinding:
		for _, s := range cfg.SecretsStore {
			if s.Binding == b.Name {
				return storePath("secrets", s.StoreID)
			}
		}
	case "vectorize", "pipelines":
		return Base + "stores"
	case wrangler.SendEmailBinding:
		return Base + "email"
	}
	return ""
}
