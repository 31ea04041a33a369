package queues

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"eddy/queues/logstore"
)

var rewrite = flag.Bool("rewrite", false, "write what the text tests give into their files")

// TestCore runs the files of testdata/core: each line is a command to the pure core; below it stand the events that
// it decided, and the state where asked for. Every state is also taken through a snapshot and through replay.
func TestCore(t *testing.T) {
	files, err := filepath.Glob("testdata/core/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := newCoreBench(t)
			var out strings.Builder
			for line := range strings.Lines(string(text)) {
				line = strings.TrimRight(line, "\n")
				switch {
				case line == "" || strings.HasPrefix(line, "#"):
					out.WriteString(line + "\n")
				case strings.HasPrefix(line, ">"):
					out.WriteString(line + "\n")
					for result := range strings.Lines(c.run(strings.TrimSpace(line[1:]))) {
						out.WriteString("    " + strings.TrimRight(result, "\n") + "\n")
					}
				}
			}
			c.checkReplay()
			if *rewrite {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			equalText(t, out.String(), string(text))
		})
	}
}

func equalText(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Fatalf("line %d:\n got %s\nwant %s\n(run with -rewrite and look at the difference)", i+1, a, b)
		}
	}
}

// coreBench drives the core without broker, clock or log.
type coreBench struct {
	t      *testing.T
	state  *State
	now    int64
	ids    uint32
	groups [][]byte
	leases map[string]*lease
	tokens map[string]string
	batch  batching
}

func newCoreBench(t *testing.T) *coreBench {
	return &coreBench{
		t: t, state: newState(), now: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC).UnixMilli(),
		leases: map[string]*lease{}, tokens: map[string]string{},
	}
}

// run does one command and gives events and results.
func (c *coreBench) run(line string) string {
	var out strings.Builder
	words := strings.Fields(line)
	if words[0] == "wait" {
		c.now += c.duration(words[1]).Milliseconds()
	}
	code := &coder{}
	code.beginGroup(c.now)
	c.state.now = c.now
	d := &decision{
		state: c.state, now: c.now,
		newID:  func() ID { c.ids++; return ID{byte(c.ids >> 8), byte(c.ids), 0xee} },
		random: func() float64 { return 0.75 },
		record: func(e LogEvent) { code.event(e); out.WriteString(describe(e) + "\n") },
	}
	args := map[string]string{}
	var names []string
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok {
			args[k] = v
		} else {
			names = append(names, w)
		}
	}
	if err := c.command(d, words[0], names, args, &out); err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
	}
	at := logstore.Ref{Segment: 1, Offset: uint32(len(c.groups)) << 16}
	c.state.placeGroup(at)
	c.groups = append(c.groups, code.b)
	return out.String()
}

func (c *coreBench) command(
	d *decision,
	verb string,
	names []string,
	args map[string]string,
	out *strings.Builder,
) error {
	q := func() *queue {
		q, err := d.find(names[0])
		if err != nil {
			c.t.Fatal(err)
		}
		return q
	}
	switch verb {
	case "create":
		s := DefaultQueueSettings()
		if v := args["delay"]; v != "" {
			s.DeliveryDelay = c.duration(v)
		}
		if v := args["retention"]; v != "" {
			s.Retention = c.duration(v)
		}
		_, err := d.createQueue(names[0], s)
		return err
	case "update":
		s := q().settings
		s.DeliveryPaused = args["paused"] == "true"
		name := names[0]
		if args["name"] != "" {
			name = args["name"]
		}
		_, err := d.updateQueue(names[0], name, s)
		return err
	case "delete":
		d.emit(&QueueDeleted{Queue: q().serial})
	case "consumer":
		_, err := d.setConsumer(c.consumer(names[0], args), args["replace"] == "true", false)
		return err
	case "declare":
		var t Topology
		for _, n := range names {
			t.Consumers = append(t.Consumers, c.consumer(n, args))
		}
		d.declare(t)
	case "send":
		var msgs []Outgoing
		for _, n := range names[1:] {
			body, delay, ok := strings.Cut(n, "@")
			m := Outgoing{Body: []byte(body), ContentType: ContentText}
			if ok {
				m.Delay = DelaySeconds(c.number(delay))
			}
			msgs = append(msgs, m)
		}
		before, sentTo, err := d.send(names[0], msgs, c.delay(args["delay"]))
		if trace := args["trace"]; trace != "" && err == nil {
			d.traceSend(sentTo, len(msgs), trace)
		}
		fmt.Fprintf(
			out,
			"metrics before: %d messages, %d bytes, oldest %s\n",
			before.BacklogCount,
			before.BacklogBytes,
			clockText(millisOrZero(before.OldestMessageTimestamp)),
		)
		return err
	case "batch": // one look of the dispatcher
		x := q()
		n, again := c.batch.take(c.now, x.ready.n, args["busy"] == "", x.config())
		fmt.Fprintf(out, "take %d", n)
		if again != 0 {
			fmt.Fprintf(out, ", look again at %s", clockText(again))
		}
		out.WriteString("\n")
		if n > 0 {
			c.push(x, n, names[1])
		}
	case "push":
		c.push(q(), int(c.number(args["n"])), names[1])
	case "settle":
		x := q()
		s := d.settleOutcome(x, c.leases[names[1]], c.outcome(c.leases[names[1]], args))
		fmt.Fprintf(
			out,
			"acked %d, retried %d, dead %d, dropped %d\n",
			len(s.acked),
			len(s.retried),
			len(s.dead),
			len(s.dropped),
		)
	case "pull":
		x, l, err := pull(
			d,
			names[0],
			PullOptions{BatchSize: int(c.number(args["n"])), VisibilityTimeout: c.duration(args["for"])},
		)
		if err != nil || l == nil {
			return err
		}
		for i, m := range l.msgs {
			c.tokens[names[1]+strconv.Itoa(i+1)] = token{x.serial, l.num, m.num}.String()
		}
	case "ack":
		var acks []string
		var retries []LeaseRetry
		for _, n := range names[1:] {
			acks = append(acks, c.tokens[n])
		}
		if args["retry"] != "" {
			name, delay, _ := strings.Cut(args["retry"], "@")
			retries = []LeaseRetry{{c.tokens[name], c.delay(delay)}}
		}
		r, _ := d.settleLeases(q(), acks, retries)
		fmt.Fprintf(out, "acked %d, retried %d", r.Acked, r.Retried)
		for name, tok := range c.tokens {
			if w := r.Warnings[tok]; w != "" {
				fmt.Fprintf(out, "; %s: %s", name, w)
			}
		}
		out.WriteString("\n")
	case "purge":
		d.emit(&Purged{Queue: q().serial, At: d.at()})
	case "wait":
		c.tick(d)
	case "lane":
		_, err := d.laneSend(names[0], names[1], Outgoing{Body: []byte(names[2]), ContentType: ContentJSON})
		return err
	case "lane-settle":
		l, err := c.state.findLane(names[0], names[1])
		if err != nil {
			return err
		}
		l.queue.config.DeadLetter = args["handler"] == "true"
		msgs, handOff, until := l.next(c.now)
		switch {
		case handOff && args["error"] != "":
			d.settleHandOff(l, msgs[0], errors.New(args["error"]))
		case handOff:
			d.settleHandOff(l, msgs[0], nil)
		case len(msgs) == 0:
			fmt.Fprintf(out, "nothing before %s\n", clockText(until))
		default:
			fmt.Fprintf(out, "delivered %v\n", nums(msgs))
			d.settleLane(l, msgs, c.now, c.outcome(&lease{msgs: msgs}, args))
		}
	case "hasten": // all that is delayed
		msgs, err := q().delayedOf(nil)
		d.emit(&Hastened{Queue: q().serial, Nums: nums(msgs)})
		return err
	case "lane-hasten":
		d.emit(&LaneHastened{Queue: names[0], Key: names[1]})
	case "back": // the clock is set back
		d.emit(&ClockSetBack{From: fromMillis(c.now), To: fromMillis(c.now - c.duration(names[0]).Milliseconds())})
		c.now = c.state.now
	case "state":
		out.WriteString(c.state.dump(true))
	default:
		c.t.Fatalf("unknown command %q", verb)
	}
	return nil
}

func millisOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return millis(t)
}

func (c *coreBench) push(q *queue, n int, name string) {
	l := &lease{num: c.state.nextLease, push: true, began: c.now, until: c.now + DeliveryWallTime.Milliseconds()}
	c.state.nextLease++
	for m := q.ready.head; m != nil && len(l.msgs) < n; m = m.link[byReady].next {
		l.msgs = append(l.msgs, m)
	}
	q.grant(l)
	c.leases[name] = l
}

// pull leases without reading.
func pull(d *decision, name string, o PullOptions) (*queue, *lease, error) {
	q, msgs, o, err := d.pullable(name, o)
	if err != nil || len(msgs) == 0 {
		return q, nil, err
	}
	return q, d.lend(q, msgs, o), nil
}

// tick does what falls due, queue by queue.
func (c *coreBench) tick(d *decision) {
	for _, q := range c.state.sorted() {
		q.promote(c.now)
		d.expireLeases(q, func(*lease, settled) {})
		d.expireMessages(q)
	}
}

func (c *coreBench) outcome(l *lease, args map[string]string) Outcome {
	var o Outcome
	id := func(n string) ID { return l.msgs[c.number(n)-1].id }
	for _, n := range strings.FieldsFunc(args["ack"], func(r rune) bool { return r == ',' }) {
		o.Acks = append(o.Acks, id(n))
	}
	for _, n := range strings.FieldsFunc(args["retry"], func(r rune) bool { return r == ',' }) {
		n, delay, _ := strings.Cut(n, "@")
		o.Retries = append(o.Retries, Retry{id(n), c.delay(delay)})
	}
	switch all := args["all"]; {
	case all == "ack":
		o.AckAll = true
	case strings.HasPrefix(all, "retry"):
		_, delay, _ := strings.Cut(all, "@")
		o.RetryAll, o.RetryAllDelay = true, c.delay(delay)
	}
	if args["throw"] != "" {
		o.Failure = &Failure{Reason: "exception", Error: args["throw"], Stack: "at queue (index.js:1)"}
	}
	o.Abandoned = args["abandoned"] != ""
	return o
}

func (c *coreBench) consumer(queue string, args map[string]string) ConsumerConfig {
	cfg := DefaultConsumer(queue, WorkerConsumer)
	if args["type"] == "pull" {
		cfg = DefaultConsumer(queue, PullConsumer)
	}
	if v := args["size"]; v != "" {
		cfg.MaxBatchSize = int(c.number(v))
	}
	if v := args["wait"]; v != "" {
		cfg.MaxBatchTimeout = c.duration(v)
	}
	if v := args["retries"]; v != "" {
		cfg.MaxRetries = int(c.number(v))
	}
	if v := args["delay"]; v != "" {
		cfg.RetryDelay = c.duration(v)
	}
	cfg.DeadLetterQueue = args["dlq"]
	return cfg
}

func (c *coreBench) number(s string) int32 {
	n, err := strconv.ParseInt("0"+s, 10, 32)
	if err != nil {
		c.t.Fatal(err)
	}
	return int32(n)
}

func (c *coreBench) delay(s string) Delay {
	if s == "" {
		return Delay{}
	}
	return DelaySeconds(c.number(s))
}

func (c *coreBench) duration(s string) time.Duration {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return d
}

// checkReplay: the groups alone give the same state, and so does a snapshot; what was being delivered is back.
func (c *coreBench) checkReplay() {
	c.t.Helper()
	replayed := newState()
	for i, g := range c.groups {
		if err := replayed.replay(logstore.Ref{Segment: 1, Offset: uint32(i) << 16}, g); err != nil {
			c.t.Fatal(err)
		}
	}
	replayed.now = c.now
	equalText(c.t, replayed.dump(false), c.state.dump(false))

	loaded := newState()
	if err := c.state.save(loaded.load); err != nil {
		c.t.Fatal(err)
	}
	equalText(c.t, loaded.dump(false), c.state.dump(false))
	for seg, n := range c.state.live {
		if loaded.live[seg] != n || replayed.live[seg] != n {
			c.t.Fatalf(
				"live bytes of segment %d: %d, after replay %d, after a snapshot %d",
				seg,
				n,
				replayed.live[seg],
				loaded.live[seg],
			)
		}
	}
}

// P-28: a backlog that would grow beyond 25 GB refuses the send. D-23: there are no more than 10,000 queues.
func TestCapacity(t *testing.T) {
	c := newCoreBench(t)
	c.run("create q")
	c.state.byName["q"].bytes = MaxBacklogBytes - 3
	if got := c.run("send q four"); !strings.Contains(got, "error: Storage Limit Exceeded (10251)") {
		t.Errorf("beyond 25 GB: %s", got)
	}
	if got := c.run("send q 3by"); strings.Contains(got, "error") {
		t.Errorf("what fits was refused: %s", got)
	}
	for i := 1; i < MaxQueues; i++ {
		c.run(fmt.Sprint("create q", i))
	}
	if got := c.run("create more"); !strings.Contains(got, "there are 10000 queues already") {
		t.Errorf("queue 10,001: %s", got)
	}
}
