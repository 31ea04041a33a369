package session

import (
	"strings"
	"testing"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
)

// TestProofOfPackages: packages of an earlier session that are not what a build gives are found out, also where a
// reload has used them before they were proved.
func TestProofOfPackages(t *testing.T) {
	for _, early := range []bool{false, true} {
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
		reloaded := make(chan struct{}, 16)
		r := p.start(with, func(o *Options) { o.Reloaded = func() { reloaded <- struct{}{} } })
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
