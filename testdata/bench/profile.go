package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"github.com/google/pprof/profile"

	"eddy/runtime"
)

// profilePaths serves the Workers in this process, starts each a few times, follows every path for a while, and writes
// where the processor's time went without the client's share: the profile that go build takes as default.pgo.
func profilePaths(o options, w *workers) error {
	debug.SetGCPercent(200) // about what eddy dev has while little is alive
	var recorded bytes.Buffer
	if err := pprof.StartCPUProfile(&recorded); err != nil {
		return err
	}
	err := followPaths(o, w)
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	p, err := profile.Parse(&recorded)
	if err != nil {
		return err
	}
	p.FilterSamplesByName(nil, regexp.MustCompile(`^main\.|^net/http\.\(\*(Transport|persistConn|Client)\)`), nil, nil)
	for _, f := range p.Function {
		f.Filename = "" // of this machine, and the compiler does not look
	}
	for _, m := range p.Mapping {
		m.File, m.BuildID = "", ""
	}
	var out bytes.Buffer
	if err := p.Compact().Write(&out); err != nil {
		return err
	}
	return os.WriteFile(o.profile, out.Bytes(), 0o666)
}

func followPaths(o options, w *workers) error {
	entries := []string{"start/hello.js", "start/hono.js", "start/agents.js"}
	if !w.npm {
		entries = entries[:1]
	}
	for _, entry := range entries {
		for range 3 {
			if err := served(w, entry, func(*server) error { return nil }); err != nil {
				return fmt.Errorf("%s: %w", entry, err)
			}
		}
	}
	return served(w, w.main(w.sides[0]), func(v *server) error {
		for _, p := range paths {
			if p.npm && !w.npm || !o.only.MatchString(p.name) {
				continue
			}
			n := 1
			for began := time.Now(); time.Since(began) < o.target; n = min(2*n, 1000) {
				if err := p.run(v, n); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
			}
		}
		return nil
	})
}

// served runs do beside a session of a Worker in this process.
func served(w *workers, entry string, do func(*server) error) (err error) {
	dir, err := w.project(w.sides[0], entry)
	if err != nil {
		return err
	}
	ctx := context.Background()
	session, err := runtime.Start(ctx, runtime.Options{
		Configs: []string{filepath.Join(dir, "wrangler.jsonc")}, Dir: dir, Persist: true})
	if err != nil {
		return errors.New(runtime.Explain(err, false))
	}
	defer func() { err = errors.Join(err, session.Stop(ctx)) }()
	handler, err := session.Handler("")
	if err != nil {
		return err
	}
	web := httptest.NewServer(handler)
	defer web.Close()
	v := &server{side: w.sides[0], url: web.URL, dir: dir,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	defer v.client.CloseIdleConnections()
	if _, err := v.get("/"); err != nil {
		return err
	}
	return do(v)
}
