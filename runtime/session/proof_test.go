package session

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
)

// mistaken is a project of whose package an earlier session has kept something else than a build gives.
func mistaken(t *testing.T) (p *project, with func(*Options)) {
	t.Helper()
	p, dir, with := packagedProject(t)
	_, o, err := Prepare(Options{Dir: p.dir, Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	o.Apart = true
	built, err := bundle.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	built.Packages.Source = strings.Replace(built.Packages.Source, "package", "another", 1)
	shelf := bundle.OpenShelf(dir)
	shelf.Put(o, built, time.Now().Add(time.Hour))
	if shelf.Take(o) == nil {
		t.Fatal("the shelf has nothing")
	}
	return p, with
}

// TestProofOfPackages: packages of an earlier session that are not what a build gives are found out, also where a
// reload has used them before they were proved.
func TestProofOfPackages(t *testing.T) {
	for _, early := range []bool{false, true} {
		p, with := mistaken(t)
		reloaded := make(chan struct{}, 16)
		r := p.start(with, func(o *Options) {
			o.Rest, o.Reloaded = 1, func() { reloaded <- struct{}{} }
		})
		want := "first package"
		if early {
			p.change("index.js", "first", "second")
			want = "second package"
		}
		for got := ""; got != want; got = r.get("/") {
			<-reloaded
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProofIsGivenUp: a reload ends the proof that rests or is built, and another one is made after it.
func TestProofIsGivenUp(t *testing.T) {
	p, with := mistaken(t)
	reloads := make(chan struct{}, 16)
	r := p.start(with, func(o *Options) { o.Rest, o.Reloaded = time.Hour, func() { reloads <- struct{}{} } })
	svc := r.services[0]
	for svc.build.noticed.Load() == nil { // until the first one rests
		runtime.Gosched()
	}
	first := svc.build.noticed.Load()
	p.change("index.js", "first", "second")
	<-reloads
	r.expect("/", "second another")
	for svc.build.noticed.Load() == first {
		runtime.Gosched()
	}
	if err := r.Stop(); err != nil { // it does not wait for an hour
		t.Fatal(err)
	}
}
