package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// measureQueues measures what a send costs among so many queues, each with a binding of its own. Every size has its
// own project, and so its own servers, which end with it.
func measureQueues(o options, w *workers, f *figures) error {
	for _, size := range []int{10, 1000, 10_000} { // an account has 10,000 at most
		p := path{name: "send, " + thousands(size) + " queues", configured: true,
			run: insideOf("/sendTo", "&size="+strconv.Itoa(size))}
		if !o.only.MatchString(p.name) {
			continue
		}
		if err := measureAmong(o, w, f, p, size); err != nil {
			return err
		}
	}
	return nil
}

func measureAmong(o options, w *workers, f *figures, p path, size int) error {
	var servers []*server
	for _, s := range w.sides {
		if !s.configured {
			continue
		}
		dir, err := w.project(s, w.main(s))
		if err != nil {
			return err
		}
		if err := addQueues(filepath.Join(dir, "wrangler.jsonc"), size); err != nil {
			return err
		}
		v, _, err := s.start(dir)
		if err != nil {
			f.missed(p.name, err)
			continue
		}
		defer v.stop()
		servers = append(servers, v)
	}
	return measurePath(o, f, p, servers)
}

// addQueues adds so many producers to a configuration: Q0 sends to the queue q-0, and so on.
func addQueues(config string, size int) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var list strings.Builder
	for i := range size {
		fmt.Fprintf(&list, `{"binding":"Q%d","queue":"q-%[1]d"},`, i)
	}
	const start = `"producers": [`
	return os.WriteFile(config, []byte(strings.Replace(string(text), start, start+list.String(), 1)), 0o666)
}
