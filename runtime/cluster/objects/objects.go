package objects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
)

// Live are what the live objects of the node do when shards come and go. Each may wait; they are called one at a time
// for a shard.
type Live struct {
	// Arm sets an object's alarm. key is the unique key of its namespace.
	Arm func(key, id string, at time.Time)
	// Came is told of each store of the bindings that is in a shard which is here now. Nil is nobody.
	Came func(key, id, name string)
	// Release resets the live objects for which match is true, closes their files and removes them, and drops their
	// alarms. What they are doing may end first, for as long as patience says.
	Release func(match func(key, id string) bool, patience time.Duration)
	// Failed is told what an operator must know.
	Failed func(text string)
	// Open opens a file of an object, to read it; nil is os.Open. Tests let it fail.
	Open func(path string) (*os.File, error)
}

// Shipped are the objects of the shards that a node owns. Make one with [New].
type Shipped struct {
	node *node.Self
	live Live

	mu      sync.Mutex // guards the rest
	shards  map[int]*owned
	latest  map[int]*owned // also if it has ended
	ending  bool
	running sync.WaitGroup
}

// InShard is what objects need of the shard that they are in: a node.Shard, or an engine.Slice.
type InShard interface {
	ID() int
	Number() int64
	Commit(b engine.Batch, done func(error))
	Read(ctx context.Context, from, to engine.Key, fn func(engine.Key, engine.Value) error) error
	Confirm(done func(error))
}

// owned is one ownership of a shard.
type owned struct {
	shard InShard
	open  func(path string) (*os.File, error)
	// before is the ownership before this one on this node, nil for none; closed is closed when this one has ended.
	before *owned
	closed chan struct{}

	mu sync.Mutex // guards the rest
	// ready says that records are read; over, that nothing new comes in.
	ready, over bool
	objects     map[string]*object // by key and id; facets, too
	facets      map[string][]byte  // lists of facets, by key and id of their object
	marks       map[string]int64   // of the first shard
}

// object is one object of an ownership.
type object struct {
	o       *owned
	key, id string

	mu sync.Mutex // guards the rest
	record
	handed record // that of the last batch which was handed in
	// present says that its files are in scratch; waiting wait for that. anew says that they were, and have more than
	// was handed in.
	present bool
	anew    bool
	loading bool
	waiting []func(error)
	// pages are those that the kept log has changed, salt what the log began with.
	pages map[uint32]bool
	salt  [8]byte
	// torn says that the database may have more of the log than was kept: pages lacks some.
	torn bool
	// rest says that an earlier owner may have left pieces behind the end of the log.
	rest bool

	// Of a store: what goes with the next commit, how many read a value, which of those the index has forgotten, and
	// whether the marks of earlier owners were looked at.
	with  engine.Batch
	reads map[string]int
	gone  map[string]bool
	swept bool
}

func newObject(o *owned, key, id string) *object {
	return &object{o: o, key: key, id: id, pages: map[uint32]bool{}, reads: map[string]int{}, gone: map[string]bool{}}
}

// record is an object as of its last commit.
type record struct {
	// Generation is the log's.
	Generation int64 `json:"g"`
	// Database is the number of the database's place: 0 at first, another one each time that a large one was put as a
	// whole where no log had what it has.
	Database int64 `json:"d,omitempty"`
	// Base and Log are how many bytes database and log have; Last is the number of the log's last piece.
	Base int64 `json:"b"`
	Log  int64 `json:"l,omitempty"`
	Last int64 `json:"n,omitempty"`
	// Alarm is in nanoseconds since 1970, 0 for none.
	Alarm int64  `json:"a,omitempty"`
	Name  string `json:"name,omitempty"`
}

const records = "i/"

func place(key, id string) string { return key + "/" + id }

// New is for [node.Self.Objects].
func New(n *node.Self, h Live) *Shipped {
	if h.Open == nil {
		h.Open = os.Open
	}
	return &Shipped{node: n, live: h, shards: map[int]*owned{}, latest: map[int]*owned{}}
}

// Gained implements [node.Part].
func (x *Shipped) Gained(s *node.Shard) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ending {
		return
	}
	o := &owned{shard: s, open: x.live.Open, before: x.latest[s.ID()], closed: make(chan struct{}),
		objects: map[string]*object{}, facets: map[string][]byte{}}
	x.shards[s.ID()], x.latest[s.ID()] = o, o
	x.running.Go(func() { x.open(o) })
}

// open reads the records of a shard.
func (x *Shipped) open(o *owned) {
	if o.before != nil {
		<-o.before.closed
		o.before = nil
	}
	found, err := o.read()
	for pause := 50 * time.Millisecond; err != nil && !final(err) && !o.ended(); pause = min(2*pause, time.Second) {
		<-time.After(pause) // the database may be away
		found, err = o.read()
	}
	o.mu.Lock()
	if o.over {
		o.mu.Unlock()
		return
	}
	if err != nil {
		o.mu.Unlock()
		x.live.Failed(fmt.Sprintf("The objects of shard %d cannot be served: %v", o.shard.ID(), err))
		return
	}
	var tell []func()
	for _, obj := range found.objects {
		if x.live.Came != nil && isStore(obj.key) {
			key, id, name := obj.key, obj.id, obj.Name
			tell = append(tell, func() { x.live.Came(key, id, name) })
		}
		if obj.Alarm != 0 {
			key, id, at := obj.key, obj.id, time.Unix(0, obj.Alarm)
			tell = append(tell, func() { x.live.Arm(key, id, at) })
		}
	}
	o.objects, o.facets, o.marks, o.ready = found.objects, found.facets, found.marks, true
	o.mu.Unlock()
	x.node.Serves()
	for _, f := range tell {
		f()
	}
}

// content is what is read of a shard when it is gained.
type content struct {
	objects map[string]*object
	facets  map[string][]byte
	marks   map[string]int64
}

// read reads records, lists of facets, and marks.
func (o *owned) read() (found content, err error) {
	all := engine.Prefix(records)
	found.objects = map[string]*object{}
	err = o.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, v engine.Value) error {
		obj, err := o.recorded(k, v)
		if err == nil {
			found.objects[place(obj.key, obj.id)] = obj
		}
		return err
	})
	if err == nil {
		found.facets, err = o.readFacets()
	}
	if err == nil && o.shard.ID() == 0 {
		found.marks, err = o.readMarks()
	}
	return found, err
}

// recorded is the object that a record is of.
func (o *owned) recorded(k engine.Key, v engine.Value) (*object, error) {
	name := strings.TrimPrefix(string(k), records)
	at := strings.LastIndexByte(name, '/')
	if at < 0 {
		return nil, &recordError{fmt.Sprintf("the record %s names no object", k)}
	}
	obj := newObject(o, name[:at], name[at+1:])
	if err := json.Unmarshal(v.Data, &obj.record); err != nil {
		return nil, &recordError{fmt.Sprintf("the record %s cannot be read: %v", k, err)}
	}
	obj.handed = obj.record
	return obj, nil
}

// recordError says that something is kept that nobody has written.
type recordError struct{ text string }

func (e *recordError) Error() string { return e.text }

// final tells whether an error stays what it is however often it is tried.
func final(err error) bool {
	var damage *engine.DamageError
	var record *recordError
	return errors.As(err, &damage) || errors.As(err, &record)
}

func (o *owned) ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.over
}

// Handing implements [node.Part].
func (x *Shipped) Handing(s *node.Shard, ready func()) { x.leave(s, handTime, ready) }

// How long objects may finish what they do before they go to another node: one by one while this node runs on, when
// calls of what else is in their shard wait and nothing is lost, and all at once when the node ends.
const (
	handTime = 2 * time.Second
	stopTime = 250 * time.Millisecond
)

// Lost implements [node.Part].
func (x *Shipped) Lost(s *node.Shard) { x.leave(s, 0, func() {}) }

func (x *Shipped) leave(s *node.Shard, patience time.Duration, done func()) {
	x.mu.Lock()
	o := x.shards[s.ID()]
	if o == nil || o.shard != s {
		x.mu.Unlock()
		done()
		return
	}
	delete(x.shards, s.ID())
	x.running.Add(1)
	x.mu.Unlock()
	o.mu.Lock()
	o.over = true
	some := o.ready && len(o.objects) > 0
	o.mu.Unlock()
	go func() {
		defer x.running.Done()
		defer done()
		defer close(o.closed)
		if some {
			x.live.Release(func(key, id string) bool { return x.node.ShardOf(key, id) == s.ID() }, patience)
		}
		o.refuse()
	}()
}

// Stop comes to an end with all objects, as with those of a shard that is handed over, and takes none any more. All
// that they have committed is on its way when it returns.
func (x *Shipped) Stop() {
	x.mu.Lock()
	x.ending = true
	mine := map[int]bool{}
	for id, o := range x.shards {
		mine[id] = true
		o.mu.Lock()
		o.over = true
		o.mu.Unlock()
	}
	x.mu.Unlock()
	x.live.Release(func(key, id string) bool { return mine[x.node.ShardOf(key, id)] }, stopTime)
}

// refuse tells those who wait for an object that it is not here any more.
func (o *owned) refuse() {
	o.mu.Lock()
	all := o.objects
	o.mu.Unlock()
	for _, obj := range all {
		obj.mu.Lock()
		waiting := obj.waiting
		obj.waiting = nil
		obj.mu.Unlock()
		for _, done := range waiting {
			done(engine.ErrFenced)
		}
	}
}

// ErrElsewhere says that another node has an object, or will have it.
var ErrElsewhere = storage.ErrMoved

// owner is the ownership that has an object, nil if the object is not here.
func (x *Shipped) owner(key, id string) *owned {
	x.mu.Lock()
	o := x.shards[x.node.ShardOf(key, id)]
	x.mu.Unlock()
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ready || o.over {
		return nil
	}
	return o
}

// Here tells whether an object is on this node.
func (x *Shipped) Here(key, id string) bool { return x.owner(key, id) != nil }

// find gives an object of an ownership, which may have nothing stored.
func (o *owned) find(key, id string) *object {
	o.mu.Lock()
	defer o.mu.Unlock()
	obj := o.objects[place(key, id)]
	if obj == nil {
		obj = newObject(o, key, id)
		o.objects[place(key, id)] = obj
	}
	return obj
}

// Confirm calls done(nil) when what was read of an object may be told: the node's lease holds, or holds again.
func (x *Shipped) Confirm(key, id string, done func(error)) {
	if o := x.owner(key, id); o != nil {
		o.shard.Confirm(done)
		return
	}
	done(ErrElsewhere)
}

// Valid tells whether the node's lease holds, so that Confirm would not wait; never if each answer is to be confirmed.
func (x *Shipped) Valid() bool { return !x.Each() && x.node.Valid() }

// Each tells whether each answer is to be confirmed by itself: Confirm knows of nothing that came after it.
func (x *Shipped) Each() bool { return x.node.Confirmed() }

// Wait waits until no ownership begins or ends.
func (x *Shipped) Wait() { x.running.Wait() }
