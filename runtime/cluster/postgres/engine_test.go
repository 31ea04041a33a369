package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"eddy/queues/workqueue/servers"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/engine/enginetest"
)

var server *servers.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = servers.Postgres("max_connections=200", "fsync=off"); err != nil {
		os.Exit(servers.MissingAll("runtime/cluster/postgres", err))
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

var schemas int

// freshURL is a place for a cluster of its own.
func freshURL(t *testing.T, s *servers.Server) string {
	t.Helper()
	schemas++
	name := fmt.Sprint("c", schemas)
	sqlOn(t, s.URL, "create schema "+name)
	return s.URL + "&search_path=" + name
}

func sqlOn(t *testing.T, url, sql string, args ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err == nil {
		_, err = c.Exec(t.Context(), sql, args...)
		err = errors.Join(err, c.Close(context.Background()))
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// opened is an engine that ends with the test.
func opened(t *testing.T, url string) *Engine {
	t.Helper()
	e, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func initialized(t *testing.T, url string) *Engine {
	t.Helper()
	e := opened(t, url)
	if _, err := e.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEngine(t *testing.T) {
	url := freshURL(t, server)
	clients := []*Engine{initialized(t, url)}
	sqlOn(t, url, "delete from eddy_shard where id > 3")
	enginetest.Run(t, func(t *testing.T) enginetest.Store {
		// A connection costs more than the case: those of the cases before are used again.
		sqlOn(t, url, "delete from eddy_node; delete from eddy_note; delete from eddy_kv;"+
			"update eddy_shard set owner='', epoch=0, head=0")
		used := 0
		return enginetest.Store{
			Open: func(*testing.T) engine.Engine {
				if used++; used > len(clients) {
					client, err := Open(url)
					if err != nil {
						panic(err) // the URL was good before
					}
					clients = append(clients, client)
				}
				return clients[used-1]
			},
			Damage: func(shard int, key engine.Key, change func([]byte) []byte) {
				c, err := pgx.Connect(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = c.Close(context.Background()) }()
				var b []byte
				err = c.QueryRow(t.Context(), "delete from eddy_kv where shard = $1 and key = $2 returning value",
					shard, []byte(key)).Scan(&b)
				if err != nil && !errors.Is(err, pgx.ErrNoRows) {
					t.Fatal(err)
				}
				if b = change(b); b != nil {
					_, err = c.Exec(t.Context(), "insert into eddy_kv values ($1, $2, $3)", shard, []byte(key), b)
					if err != nil {
						t.Fatal(err)
					}
				}
			},
		}
	})
	for _, c := range clients[1:] {
		c.Close()
	}
}

func TestInit(t *testing.T) {
	url := freshURL(t, server)
	e := opened(t, url)
	if _, err := e.Cluster(t.Context()); !errors.Is(err, ErrNoCluster) {
		t.Errorf("before: %v", err)
	}
	made, err := e.Init(t.Context())
	if err != nil || made.QueueShard() != 128 || len(made.Token) != 48 {
		t.Fatalf("made %+v, %v", made, err)
	}
	if _, err := e.Init(t.Context()); !errors.Is(err, ErrExists) {
		t.Errorf("again: %v", err)
	}
	if is, err := e.Cluster(t.Context()); err != nil || is != made {
		t.Errorf("read %+v, %v", is, err)
	}
	v, err := e.Look(t.Context())
	if err != nil || len(v.Shards) != 129 || v.Shards[128].ID != 128 {
		t.Errorf("%d shards, %v", len(v.Shards), err)
	}
	sqlOn(t, url, "update eddy_cluster set format = format + 1")
	newer := fmt.Sprintf("let an eddy that reads version %d export it (eddy cluster export DIR)", format+1)
	if _, err := e.Cluster(t.Context()); err == nil || !strings.Contains(err.Error(), newer) {
		t.Errorf("a newer one: %v", err)
	}
}

// Nothing that a node asks again and again is compiled before it runs: that took 0.2 s of a CPU for each look, and a
// node on a loaded machine did not see the cluster within its lease.
func TestPlans(t *testing.T) {
	s, err := servers.Postgres("fsync=off", "jit=on", "jit_above_cost=0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	e := initialized(t, s.URL)
	for _, pool := range []*pgxpool.Pool{e.watch, e.data} {
		rows, err := pool.Query(t.Context(), "explain (analyze) "+sqlLook)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if text := strings.Join(plan, "\n"); err != nil || strings.Contains(text, "JIT") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

func TestExamine(t *testing.T) {
	e := initialized(t, freshURL(t, server))
	h, err := e.Examine(t.Context())
	if err == nil {
		err = e.Probe(t.Context(), &h)
	}
	if err != nil || h.Number < oldest || h.RoundTrip <= 0 {
		t.Fatalf("%+v, %v", h, err)
	}
	if got := h.Refusal(); !strings.Contains(got, "fsync is off") { // as it is for these tests
		t.Error(got)
	}
	if got := h.Safety(); got != "no synchronous standby: the loss of its machine loses data" {
		t.Error(got)
	}
	// The sessions ask for it, whatever the URL says.
	other := opened(t, freshURL(t, server)+"&synchronous_commit=off")
	if h, err := other.Examine(t.Context()); err != nil || h.SynchronousCommit != "on" {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestRefusal(t *testing.T) {
	good := Health{Version: "15.1 (Debian)", Number: 150001, Fsync: true, FullPageWrites: true, SynchronousCommit: "on"}
	for want, change := range map[string]func(*Health){
		"":                 func(h *Health) { h.SynchronousCommit = "remote_apply" },
		"too old":          func(h *Health) { h.Number = 130012 },
		"fsync = on":       func(h *Health) { h.Fsync = false },
		"full_page_writes": func(h *Health) { h.FullPageWrites = false },
		"pooler":           func(h *Health) { h.SynchronousCommit = "local" },
	} {
		h := good
		change(&h)
		if got := h.Refusal(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%+v: %q, want %q", h, got, want)
		}
	}
	for want, h := range map[string]Health{
		"1 synchronous standby":              {Standbys: 1},
		"2 synchronous standbys":             {Standbys: 2},
		"none is connected":                  {StandbyNames: "*"},
		"may not see":                        {StandbyNames: "*", Hidden: true},
		"the loss of its machine loses data": {},
	} {
		if got := h.Safety(); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", h, got, want)
		}
	}
	if good.Short() != "15.1" {
		t.Error(good.Short())
	}
}
