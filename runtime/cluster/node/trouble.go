package node

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"eddy/runtime/cluster/engine"
)

// Trouble is what a node tells of itself that makes it less than it should be, although it serves. It is kept in the
// cluster's database, so that whoever looks sees that of all nodes.
type Trouble struct {
	// ID is the incarnation that says so.
	ID engine.NodeID `json:"id"`
	// Ahead is by how many seconds its wall clock is ahead of the database's, at least; negative if it is behind, 0 if
	// it is less than one.
	Ahead int `json:"clockAheadSeconds,omitempty"`
	// Scratch is why it cannot write its files, so that it has given back what it had.
	Scratch string `json:"scratch,omitempty"`
	// Unreached are the names of nodes that do not answer it, although both reach the database.
	Unreached []string `json:"unreached,omitempty"`
}

// TroubleNote is the note in which a node of a name tells its trouble, as JSON.
func TroubleNote(name string) string { return "trouble/" + name }

// TroubleOf reads what an incarnation has told.
func TroubleOf(ctx context.Context, e engine.Engine, id engine.NodeID) (t Trouble, err error) {
	n, err := e.Note(ctx, TroubleNote(id.Name()))
	if err == nil && n.Value != nil {
		err = json.Unmarshal(n.Value, &t)
	}
	if err != nil {
		return Trouble{}, fmt.Errorf("what node %s tells of itself: %w", id.Name(), err)
	}
	if t.ID != id { // an earlier one has told it
		return Trouble{ID: id}, nil
	}
	return t, nil
}

// Lines are the trouble in words, one sentence each.
func (t Trouble) Lines() (lines []string) {
	if t.Ahead != 0 {
		lines = append(lines, fmt.Sprintf("The clock of node %s is %s the database's: alarms and delays of what it "+
			"has come as much %s. Let the machine keep its time (NTP).", t.ID.Name(), aheadOf(t.Ahead), early(t.Ahead)))
	}
	if t.Scratch != "" {
		lines = append(lines, fmt.Sprintf("Node %s cannot write its files, and gives back what it has until it "+
			"can: %s.", t.ID.Name(), t.Scratch))
	}
	for _, name := range t.Unreached {
		lines = append(lines, fmt.Sprintf("Node %s does not reach node %s, although both reach the database: its "+
			"calls of what is there fail. Look at the network between them, and at the --advertise of %[2]s.",
			t.ID.Name(), name))
	}
	return lines
}

func aheadOf(seconds int) string {
	if seconds < 0 {
		return fmt.Sprintf("at least %d s behind", -seconds)
	}
	return fmt.Sprintf("at least %d s ahead of", seconds)
}

func early(seconds int) string {
	if seconds < 0 {
		return "late"
	}
	return "early"
}

// reach is what became of attempts to reach another node.
type reach struct {
	name string
	// fails is how many have failed since the last one that did not, and beat the node's beat at the first of these.
	fails int
	beat  int64
	told  bool
}

const (
	// reachPath is where a node answers whoever wants to know whether it does.
	reachPath = "/reach"
	// clockBound is from which difference on a clock is told as wrong. It is told as right below half of it.
	clockBound = time.Second
)

// troubles is what a node finds out about itself.
type troubles struct {
	mu       sync.Mutex // guards the rest
	ahead    time.Duration
	offClock bool
	scratch  string
	unusable int           // how often in a row files could not be written
	drained  engine.NodeID // the incarnation that was drained for it
	reached  map[engine.NodeID]*reach
}

// Trouble is what is wrong now.
func (n *Self) Trouble() Trouble {
	t := Trouble{ID: n.ID()}
	n.troubles.mu.Lock()
	defer n.troubles.mu.Unlock()
	if n.troubles.drained == t.ID {
		t.Scratch = n.troubles.scratch
	}
	if n.troubles.offClock {
		t.Ahead = int(n.troubles.ahead / time.Second)
	}
	for _, r := range n.troubles.reached {
		if r.told {
			t.Unreached = append(t.Unreached, r.name)
		}
	}
	slices.Sort(t.Unreached)
	return t
}

// Reached tells of all other nodes, by name, whether they answer this one.
func (n *Self) Reached() map[string]bool {
	n.troubles.mu.Lock()
	defer n.troubles.mu.Unlock()
	all := map[string]bool{}
	for _, r := range n.troubles.reached {
		all[r.name] = !r.told
	}
	return all
}

// Ahead is by how much the wall clock is ahead of the database's at least, as of the last look.
func (n *Self) Ahead() time.Duration {
	n.troubles.mu.Lock()
	defer n.troubles.mu.Unlock()
	return n.troubles.ahead
}

// clock hears how wrong the wall clock is.
func (n *Self) clock(ahead time.Duration) {
	t := &n.troubles
	t.mu.Lock()
	t.ahead = ahead
	was := t.offClock
	if off := ahead.Abs(); off >= clockBound || off < clockBound/2 {
		t.offClock = off >= clockBound
	}
	is := t.offClock
	t.mu.Unlock()
	switch {
	case is && !was:
		for _, line := range (Trouble{ID: n.ID(), Ahead: int(ahead / time.Second)}).Lines() {
			n.o.Warn(line)
		}
	case was && !is:
		n.o.Warn("The clock of this node agrees with the database's again.")
	}
}

// tend sees whether the other nodes answer, and tells in the database what is wrong, until Close.
func (n *Self) tend() {
	var kept note
	tick := time.NewTicker(n.lease() / 2)
	defer tick.Stop()
	for {
		n.reachAll()
		n.tendScratch()
		n.keepTrouble(&kept)
		select {
		case <-tick.C:
		case <-n.closing.Done():
			return
		}
	}
}

// tendScratch drains the node while it cannot write its files: other nodes can. It takes two looks for that, so that a
// file that was too large for a moment moves nobody. Whether an operator has drained it, too, is another matter.
func (n *Self) tendScratch() {
	if n.o.Scratch == nil {
		return
	}
	err := n.o.Scratch()
	id := n.ID()
	t := &n.troubles
	t.mu.Lock()
	if err == nil {
		t.unusable = 0
	} else {
		t.unusable++
		t.scratch = err.Error()
	}
	mine, unusable := t.drained == id, t.unusable >= 2
	t.mu.Unlock()
	if mine == unusable {
		return
	}
	ctx, cancel := context.WithTimeout(n.closing, n.lease())
	defer cancel()
	if n.o.Engine.Drain(ctx, id, engine.Unusable, unusable) != nil {
		return // the next turn tries again
	}
	t.mu.Lock()
	if t.drained = engine.Nobody; unusable {
		t.drained = id
	}
	t.mu.Unlock()
	if !unusable {
		n.o.Warn("This node can write its files again: it gets its part of the shards, unless an operator has " +
			"drained it.")
		return
	}
	for _, line := range (Trouble{ID: id, Scratch: err.Error()}).Lines() {
		n.o.Warn(line)
	}
}

// reachAll asks each node that beats for a sign.
func (n *Self) reachAll() {
	n.mu.Lock()
	nodes, me, leaving := n.view.Nodes, n.id, n.leaving
	n.mu.Unlock()
	if leaving {
		return
	}
	answers := map[engine.NodeID]bool{}
	var mu sync.Mutex // guards answers
	var asked sync.WaitGroup
	for _, other := range nodes {
		if other.ID == me || other.URL == "" || other.ID.Name() == n.o.Name {
			continue
		}
		way := n.knocks.way(other)
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(n.closing, n.lease()/2)
			defer cancel()
			ok := n.post(ctx, way, other.URL+reachPath)
			mu.Lock()
			defer mu.Unlock()
			answers[other.ID] = ok
		})
	}
	asked.Wait()
	if n.closing.Err() == nil {
		n.reachedThem(answers)
	}
}

// post tells whether a node answers a request.
func (n *Self) post(ctx context.Context, way *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+n.o.Token)
	res, err := way.Do(req)
	if err == nil {
		_ = res.Body.Close() // that it answers is all
	}
	return err == nil
}

// reachedThem takes up which nodes have answered. One that does not is told when it has beaten twice since it did not
// for the first time: one that is dead is shown with one more beat at most.
func (n *Self) reachedThem(answers map[engine.NodeID]bool) {
	n.mu.Lock()
	view, me := n.view, n.id
	n.mu.Unlock()
	t := &n.troubles
	t.mu.Lock()
	before := t.reached
	t.reached = map[engine.NodeID]*reach{}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		now, lives := view.Node(id)
		if !lives {
			continue
		}
		r := before[id]
		if r == nil {
			r = &reach{name: id.Name()}
		}
		t.reached[id] = r
		switch {
		case answers[id]:
			if r.told {
				lines = append(lines, "Node "+r.name+" answers this node again.")
			}
			*r = reach{name: r.name}
		case r.fails == 0:
			r.fails, r.beat = 1, now.Beat
		default:
			r.fails++
			if !r.told && now.Beat >= r.beat+2 {
				r.told = true
				lines = append(lines, Trouble{ID: me, Unreached: []string{r.name}}.Lines()...)
			}
		}
	}
	t.mu.Unlock()
	for _, line := range lines {
		n.o.Warn(line)
	}
}

// note is what the database has of a node's trouble.
type note struct {
	text    string
	version int64
	read    bool
}

// keepTrouble tells the database what is wrong if that has changed. What fails is tried again at the next turn.
func (n *Self) keepTrouble(kept *note) {
	now := n.Trouble()
	text := ""
	if len(now.Lines()) > 0 {
		b, err := json.Marshal(now)
		if err != nil {
			panic(err) // texts and numbers
		}
		text = string(b)
	}
	if text == kept.text {
		return
	}
	ctx, cancel := context.WithTimeout(n.closing, n.lease())
	defer cancel()
	if !kept.read {
		was, err := n.o.Engine.Note(ctx, TroubleNote(n.o.Name))
		if err != nil {
			return
		}
		kept.version, kept.read = was.Version, true
	}
	if n.o.Engine.SetNote(ctx, TroubleNote(n.o.Name), kept.version, []byte(cmp.Or(text, "{}"))) != nil {
		kept.read = false
		return
	}
	kept.text, kept.version = text, kept.version+1
}
