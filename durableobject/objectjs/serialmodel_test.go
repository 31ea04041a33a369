package objectjs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// serialEntry is one line of a program's history.
type serialEntry struct {
	At     int
	Object int
	Inst   int
	Task   string
	Kind   string
	Args   []string
}

func (e serialEntry) String() string {
	return fmt.Sprintf("%6d o%d/%d %-4s %s %s", e.At, e.Object, e.Inst, e.Task, e.Kind, strings.Join(e.Args, " "))
}

func (e serialEntry) arg(i int) string {
	if i < len(e.Args) {
		return e.Args[i]
	}
	return ""
}

// serialState is what an object has stored.
type serialState struct {
	kv    map[string]string
	rows  []string
	alarm string // when, "" for none
	// moved: the alarm was set or deleted since the handler that runs was started.
	moved bool
}

func (s serialState) clone() serialState {
	s.kv, s.rows = maps.Clone(s.kv), slices.Clone(s.rows)
	return s
}

func (s serialState) stored() string {
	var b []string
	for _, k := range slices.Sorted(maps.Keys(s.kv)) {
		b = append(b, k+","+s.kv[k])
	}
	return strings.Join(b, ",") + " | " + strings.Join(s.rows, ",")
}

func (s serialState) equal(o serialState) bool { return s.stored() == o.stored() && s.alarm == o.alarm }

// serialSection is an open transaction or critical section. before is what a rollback goes back to.
type serialSection struct {
	task, kind string
	before     serialState
}

// serialObject is the model of one object.
type serialObject struct {
	cur serialState
	// versions are the states that were committed, one after the other; bound is the oldest that a crash may leave:
	// somebody outside has heard of it.
	versions []serialState
	bound    int
	open     []*serialSection
	inst     int
	mem      int
	last     int             // when something last happened
	tasks    map[string]bool // in progress
	resets   []string
	handler  string // the alarm handler that runs
	fired    string // its time
	// over is the time of the alarm whose handler has ended last, and overAt when that was. A reset at that time may
	// come before what the handler wrote is confirmed: then it is tried again, and again says so.
	over, again string
	overAt      int
}

// serialModel reads a history and tells the first thing that must not be: a naive interpreter of input gates, sections,
// transactions, commits and resets, which does not predict the order of events but judges the one that was.
type serialModel struct {
	objects [serialObjects]*serialObject
	calls   map[string]*serialCall
	// running is the task whose turn it is: nobody else may come before it yields (GT1, GT2).
	running string
	runObj  *serialObject
	owner   map[string]*serialObject // of each task that has started
	ended   map[string]string        // how each task ended: "ok" or what it threw
	endedAt map[string]int           // the version that its answer waits for
	resetBy map[string]string        // the reset that ended it
	sent    map[string]serialSent    // by call: what must be durable before it arrives
	issued  []string
	started map[string]int
	crashes map[string][serialObjects]serialRange
}

type serialSent struct {
	from    *serialObject
	version int
}

// serialRange is what a crash may leave of an object.
type serialRange struct{ allowed []serialState }

func newSerialModel(p *serialProgram) *serialModel {
	m := &serialModel{
		calls: map[string]*serialCall{}, owner: map[string]*serialObject{}, ended: map[string]string{},
		endedAt: map[string]int{}, resetBy: map[string]string{},
		sent: map[string]serialSent{}, started: map[string]int{}, crashes: map[string][serialObjects]serialRange{},
	}
	for i := range m.objects {
		o := &serialObject{cur: serialState{kv: map[string]string{}}, tasks: map[string]bool{}}
		o.versions = []serialState{o.cur.clone()}
		m.objects[i] = o
	}
	for _, c := range p.calls() {
		m.calls["c"+strconv.Itoa(c.id)] = c
	}
	return m
}

func (o *serialObject) transacting() bool {
	for _, s := range o.open {
		if s.kind != "lock" {
			return true
		}
	}
	return false
}

// commit notes what is stored now as a version, unless a transaction is open.
func (o *serialObject) commit() {
	if last := o.versions[len(o.versions)-1]; !o.transacting() && (!o.cur.equal(last) || o.cur.moved != last.moved) {
		o.versions = append(o.versions, o.cur.clone())
	}
}

// boundary is the end of a turn of the object.
func (m *serialModel) boundary() {
	if m.runObj != nil {
		m.runObj.commit()
	}
	m.running, m.runObj = "", nil
}

// reset drops what was not committed and ends all tasks.
func (o *serialObject) reset(m *serialModel, reason string) {
	o.cur = o.versions[len(o.versions)-1].clone()
	if o.handler != "" && !o.cur.moved {
		o.cur.alarm = o.fired // it is tried again
		o.versions = append(o.versions, o.cur.clone())
	}
	o.open, o.inst, o.handler = nil, 0, ""
	for t := range o.tasks {
		m.resetBy[t] = reason
	}
	clear(o.tasks)
	o.resets = append(o.resets, reason)
}

func (m *serialModel) check(hist []serialEntry) error {
	for i, e := range hist {
		if err := m.step(e); err != nil {
			from := max(0, i-12)
			var near []string
			for _, h := range hist[from : i+1] {
				near = append(near, h.String())
			}
			return fmt.Errorf("%w\n%s", err, strings.Join(near, "\n"))
		}
	}
	m.boundary()
	for _, o := range m.objects {
		if len(o.tasks) > 0 {
			return fmt.Errorf("never ended: %v", o.tasks)
		}
		if o.cur.alarm != "" {
			return fmt.Errorf("the alarm of %s never fired", o.cur.alarm)
		}
	}
	return nil
}

func (m *serialModel) step(e serialEntry) error {
	if e.Task == "driver" {
		return m.driver(e)
	}
	o := m.objects[e.Object]
	defer func() { o.last = e.At }()
	if e.Kind == "born" {
		switch {
		case m.running != "":
			return fmt.Errorf("a constructor ran while %s had not yielded", m.running)
		case o.inst != 0 && (len(o.tasks) > 0 || e.At-o.last < 10000):
			return fmt.Errorf("a second instance while the first had something to do")
		}
		o.inst, o.mem, o.tasks = e.Inst, 0, map[string]bool{}
		return nil
	}
	switch {
	case o.inst != e.Inst:
		return fmt.Errorf("instance %d runs, %d is alive", e.Inst, o.inst)
	case m.running != "" && m.running != e.Task:
		return fmt.Errorf("%s ran while %s had not yielded", e.Task, m.running)
	case len(o.open) > 0 && o.open[len(o.open)-1].task != e.Task:
		return fmt.Errorf("%s ran while %s held the input gate", e.Task, o.open[len(o.open)-1].task)
	}
	if e.Kind == "start" || e.Kind == "alarmed" {
		if err := m.begin(o, e); err != nil {
			return err
		}
	}
	if !o.tasks[e.Task] {
		return fmt.Errorf("%s is not in progress", e.Task)
	}
	m.running, m.runObj = e.Task, o
	return m.act(o, e)
}

// begin starts a task.
func (m *serialModel) begin(o *serialObject, e serialEntry) error {
	o.tasks[e.Task] = true
	m.owner[e.Task] = o
	if e.Kind == "alarmed" {
		at, _ := strconv.Atoi(e.arg(0))
		switch {
		case o.handler != "":
			return fmt.Errorf("two alarm handlers at once")
		case o.cur.alarm == "" && o.again == e.arg(0):
		case o.cur.alarm != e.arg(0):
			return fmt.Errorf("an alarm of %s fired, %q is set", e.arg(0), o.cur.alarm)
		case at > e.At:
			return fmt.Errorf("an alarm of %d fired at %d", at, e.At)
		}
		o.handler, o.fired, o.again = e.Task, e.arg(0), ""
		o.cur.alarm, o.cur.moved = "", false
		return nil
	}
	// Calls made by one caller at one time start in their order. The driver's are those that issued has: one that an
	// object made may still be on its way when its caller is gone.
	for _, earlier := range m.issued[:max(slices.Index(m.issued, e.Task), 0)] {
		if c := m.calls[earlier]; m.objects[c.object] == o && m.started[earlier] == 0 && m.ended[earlier] == "" &&
			len(o.resets) == 0 {
			return fmt.Errorf("%s started before %s, which was made earlier", e.Task, earlier)
		}
	}
	m.started[e.Task]++
	if m.started[e.Task] > 1 {
		return fmt.Errorf("%s was delivered twice", e.Task)
	}
	if s, ok := m.sent[e.Task]; ok {
		s.from.bound = max(s.from.bound, s.version)
	}
	return nil
}

// act is what a task does.
func (m *serialModel) act(o *serialObject, e serialEntry) error {
	saw := func(what, want string) error {
		if e.Args[len(e.Args)-1] != want {
			return fmt.Errorf("%s: saw %q, want %q", what, e.Args[len(e.Args)-1], want)
		}
		return nil
	}
	push := func(kind string) { o.open = append(o.open, &serialSection{e.Task, kind, o.cur.clone()}) }
	pop := func() *serialSection {
		s := o.open[len(o.open)-1]
		o.open = o.open[:len(o.open)-1]
		return s
	}
	switch e.Kind {
	case "put":
		o.cur.kv[e.arg(0)] = e.arg(1)
	case "delete":
		delete(o.cur.kv, e.arg(0))
	case "got":
		want, ok := o.cur.kv[e.arg(0)]
		if !ok {
			want = "undefined"
		}
		return saw("get", want)
	case "listed":
		kv, _, _ := strings.Cut(o.cur.stored(), " | ")
		return saw("list", kv)
	case "sql":
		o.cur.rows = append(o.cur.rows, e.arg(0))
	case "rows":
		return saw("rows", strings.Join(o.cur.rows, ","))
	case "alarm":
		o.cur.alarm, o.cur.moved = e.arg(0), true
	case "at":
		return saw("getAlarm", o.cur.alarm)
	case "mem":
		o.mem++
		return saw("memory", strconv.Itoa(o.mem))
	case "yield":
		to := e.arg(0)
		m.boundary()
		if to != "" {
			m.sent[to] = serialSent{o, len(o.versions) - 1}
		}
	case "on":
		if len(e.Args) == 2 {
			return m.answered(e.arg(0), e.arg(1))
		}
	case "enter":
		// Whoever runs is past the gate: what it opens opens at once, and it goes on without a yield.
	case "begin":
		o.commit() // what the turn wrote before is no part of the transaction
		push("txn")
	case "savepoint":
		push("tsync")
	case "lock":
		push("lock")
	case "unlock":
		pop()
	case "commit", "rollback":
		s := pop()
		if e.Kind == "rollback" {
			o.cur = s.before
		}
		if s.kind == "txn" {
			o.commit()
		}
	case "throw":
		m.finish(o, e.Task, e.arg(0))
	case "end":
		if o.handler == e.Task {
			o.handler, o.over, o.overAt = "", o.fired, e.At
		}
		m.finish(o, e.Task, "ok")
	case "reset":
		if o.overAt == e.At {
			o.again = o.over
		}
		m.running, m.runObj = "", nil
		o.reset(m, e.arg(0))
	case "crash":
		m.crash(e.arg(0))
	}
	return nil
}

func (m *serialModel) finish(o *serialObject, task, how string) {
	m.boundary()
	delete(o.tasks, task)
	m.ended[task], m.endedAt[task] = how, len(o.versions)-1
}

// crash notes what a copy of the disk at this moment may hold: nothing that is not committed, and everything that
// somebody outside has heard of.
func (m *serialModel) crash(id string) {
	var r [serialObjects]serialRange
	for i, o := range m.objects {
		r[i].allowed = slices.Clone(o.versions[o.bound:])
	}
	m.crashes[id] = r
}

func (m *serialModel) driver(e serialEntry) error {
	if m.running != "" {
		return fmt.Errorf("the caller ran while %s had not yielded", m.running)
	}
	if e.Kind == "issue" {
		m.issued = append(m.issued, e.arg(0))
		return nil
	}
	if e.Kind == "finished" {
		return nil
	}
	return m.answered(e.arg(0), e.arg(1))
}

// answered judges what a caller heard.
func (m *serialModel) answered(call, got string) error {
	o := m.objects[m.calls[call].object]
	switch {
	case m.resetBy[call] != "":
		if got != m.resetBy[call] {
			return fmt.Errorf("%s answered %q, its object was reset by %q", call, got, m.resetBy[call])
		}
	case m.ended[call] == got:
		o.bound = max(o.bound, m.endedAt[call]) // GT7: heard of, so durable
	case slices.Contains(o.resets, got):
		// Reset while it waited to start, or while its answer waited for the commit.
		if m.started[call] > 0 && m.ended[call] == "" {
			return fmt.Errorf("%s goes on although its caller heard %q", call, got)
		}
	default:
		return fmt.Errorf("%s answered %q, it ended with %q", call, got, m.ended[call])
	}
	return nil
}
