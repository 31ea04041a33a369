package pgx

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"eddy/queues/workqueue/internal/work"
)

// channel is what services listen on. A payload is the sender's name, a space, and the topic.
const channel = "workqueue"

// minNotify is the least time between two notifications: a burst of jobs needs no more.
const minNotify = 5 * time.Millisecond

// board wakes subscriptions: those of this service at once, those of others through the server.
type board struct {
	pool  *pgxpool.Pool
	log   *slog.Logger
	name  string // of this service, so that it does not wake itself twice
	ctx   context.Context
	stop  context.CancelFunc
	tasks sync.WaitGroup
	news  chan struct{} // capacity 1
	wakes work.Watchers

	mu        sync.Mutex // guards what follows
	closed    bool
	notifying bool
	listening bool
	dirty     map[string]bool // topics to notify others of
}

func newBoard(pool *pgxpool.Pool, log *slog.Logger) *board {
	b := &board{
		pool: pool, log: log, name: uuid.NewString()[:8], news: make(chan struct{}, 1), dirty: map[string]bool{},
	}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

func (b *board) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.stop()
	b.tasks.Wait()
}

// notify tells everybody that the topic has new work. It does not wait for others to hear of it.
func (b *board) notify(topic string) {
	b.wakes.Wake(topic)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.dirty[topic] = true
	if !b.notifying {
		b.notifying = true
		b.tasks.Go(b.send)
	}
	select {
	case b.news <- struct{}{}:
	default:
	}
}

// send tells the server of topics that have new work.
func (b *board) send() {
	for {
		select {
		case <-b.news:
		case <-b.ctx.Done():
			b.flush(context.Background())
			return
		}
		b.flush(b.ctx)
		select {
		case <-time.After(minNotify):
		case <-b.ctx.Done():
		}
	}
}

func (b *board) flush(ctx context.Context) {
	b.mu.Lock()
	topics := slices.Collect(maps.Keys(b.dirty))
	clear(b.dirty)
	b.mu.Unlock()
	if len(topics) == 0 {
		return
	}
	payloads := make([]string, len(topics))
	for i, t := range topics {
		if payloads[i] = b.name + " " + t; len(payloads[i]) > maxPayload {
			payloads[i] = b.name // without a topic it wakes everybody
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := b.pool.Exec(ctx, tellOthers, channel,
		payloads); err != nil && b.ctx.Err() == nil {
		b.log.Warn("queue/pgx: others were not notified of new jobs; they will find them when they poll", "error", err)
	}
}

// tellOthers notifies of topics. A notification does not outlive the server, so its commit need not wait for the disk.
const tellOthers = `WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
SELECT pg_notify($1, p) FROM quick, unnest($2::text[]) p`

// maxPayload is a little less than PostgreSQL allows.
const maxPayload = 7900

// watch wakes w when the topic has new work.
func (b *board) watch(topic string, w *work.Watcher) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.listening && !b.closed {
		b.listening = true
		b.tasks.Go(b.listen)
	}
	return b.wakes.Add(topic, w)
}

// listen hears what other services notify. It makes a connection of its own, which a small pool could not spare.
func (b *board) listen() {
	pause := 100 * time.Millisecond
	for b.ctx.Err() == nil {
		err := b.hear(func() { pause = 100 * time.Millisecond })
		if b.ctx.Err() != nil {
			return
		}
		b.log.Warn("queue/pgx: no connection to listen on; polling meanwhile", "error", err, "again_in", pause)
		select {
		case <-time.After(pause):
		case <-b.ctx.Done():
		}
		pause = min(2*pause, 10*time.Second)
	}
}

func (b *board) hear(connected func()) error {
	conn, err := pgx.ConnectConfig(b.ctx, b.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }() // it is broken, or nobody needs it any more
	if _, err := conn.Exec(b.ctx, "LISTEN "+channel); err != nil {
		return err
	}
	connected()
	b.wakes.WakeAll() // what happened meanwhile
	for {
		n, err := conn.WaitForNotification(b.ctx)
		if err != nil {
			return err
		}
		sender, topic, named := strings.Cut(n.Payload, " ")
		switch {
		case sender == b.name: // it woke its own
		case named:
			b.wakes.Wake(topic)
		default:
			b.wakes.WakeAll()
		}
	}
}
