package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"eddy/queues/workqueue/servers"
)

// pair is a PostgreSQL with a synchronous standby that reaches it through a proxy. They change places.
type pair struct {
	t           *testing.T
	servers     [2]*servers.Server
	primary     int
	replication *tcpProxy
}

// newPair starts one. It gives nil if no PostgreSQL is installed, which it says.
func newPair(t *testing.T, test string) *pair {
	t.Helper()
	primary, err := servers.Postgres()
	if err != nil {
		if servers.Missing(test, err) != 0 {
			t.Fatal(err)
		}
		return nil
	}
	p := &pair{t: t, replication: newProxy(t)}
	p.servers[0] = primary
	t.Cleanup(func() {
		for _, s := range p.servers {
			if s != nil {
				s.Stop()
			}
		}
	})
	p.follow()
	return p
}

// follow builds a standby of the primary in the other place.
func (p *pair) follow() {
	p.t.Helper()
	p.replication.to(p.servers[p.primary].Addr)
	s, err := servers.StandbyThrough(p.servers[p.primary], p.replication.addr())
	if err != nil {
		p.t.Fatal(err)
	}
	p.servers[1-p.primary] = s
}

func (p *pair) addresses() []string { return []string{p.servers[0].Addr, p.servers[1].Addr} }

// url names both.
func (p *pair) url() string {
	s := p.servers[p.primary]
	return strings.Replace(s.URL, s.Addr, strings.Join(p.addresses(), ","), 1)
}

// fail kills the primary, as the loss of its machine does, and promotes the standby.
func (p *pair) fail() {
	p.t.Helper()
	old := p.servers[p.primary]
	p.replication.setCut(true)
	if err := errors.Join(old.Kill(), p.servers[1-p.primary].Promote()); err != nil {
		p.t.Fatal(err)
	}
	old.Stop()
	p.replication.heal()
	p.replication.setCut(false)
	p.primary = 1 - p.primary
}

// restart kills the primary and starts it again with its data.
func (p *pair) restart() {
	p.t.Helper()
	s := p.servers[p.primary]
	if err := s.Kill(); err != nil {
		p.t.Fatal(err)
	}
	var err error
	for range 50 {
		if err = s.Start(); err == nil {
			return
		}
		<-time.After(100 * time.Millisecond) // the processes of its connections have to notice first
	}
	p.t.Fatal(err)
}
