package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// measureStarts measures from the start of a process to its first answer, to the first answer of what an edit changed,
// and what a session at rest has in memory.
func measureStarts(o options, w *workers, f *figures) error {
	entries := []string{"hello"}
	if w.npm {
		entries = append(entries, "hono", "agents", "wasm")
	}
	for _, entry := range entries {
		if !o.only.MatchString("start "+entry) && !o.only.MatchString("reload "+entry) {
			continue
		}
		for round := range o.rounds {
			for _, s := range turned(w.sides, round) {
				if !s.configured && entry != "hello" && entry != "hono" {
					continue
				}
				if err := measureStart(w, f, s, entry); err != nil {
					f.missed("start "+entry, err)
				}
			}
		}
	}
	return nil
}

func measureStart(w *workers, f *figures, s *side, entry string) error {
	dir, err := w.project(s, "start/"+entry+".js")
	if err != nil {
		return err
	}
	v, took, err := s.start(dir)
	if err != nil {
		return fmt.Errorf("start %s: %w", entry, err)
	}
	defer v.stop()
	f.note("start "+entry, s, took.Seconds())
	f.note("memory "+entry, s, v.memory())
	if !s.configured {
		return nil
	}
	file := filepath.Join(dir, "index.js")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond) // the watcher of wrangler dev begins after the first answer
	changed := strings.ReplaceAll(string(text), "Hello World!", "Hello again!")
	began := time.Now()
	if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
		return err
	}
	for {
		body, err := v.get("/")
		if err == nil && body == "Hello again!" {
			f.note("reload "+entry, s, time.Since(began).Seconds())
			return nil
		}
		if time.Since(began) > time.Minute {
			return fmt.Errorf("%s: no answer of the changed %s: %v %q", s.name, entry, err, body)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// turned is the list in another order each round, so that no side always comes after the same one.
func turned[T any](list []T, round int) []T {
	i := round % len(list)
	return append(append([]T{}, list[i:]...), list[:i]...)
}
