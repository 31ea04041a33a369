package main

import (
	"regexp"
	"strings"
)

// meta is what the head of a test says of it.
type meta struct {
	flags, includes, features []string
	negative                  struct{ phase, kind string }
}

var (
	head  = regexp.MustCompile(`(?s)/\*---\r?\n(.*?)---\*/`)
	entry = regexp.MustCompile(`^(\w+):\s*(.*)$`)
)

// readMeta reads the part of YAML that the suite's heads are written in: lists in brackets or a line each.
func readMeta(source string) meta {
	var m meta
	found := head.FindStringSubmatch(source)
	if found == nil {
		return m
	}
	key := ""
	for _, line := range strings.Split(strings.ReplaceAll(found[1], "\r", "\n"), "\n") {
		if e := entry.FindStringSubmatch(line); e != nil {
			key = e[1]
			for _, item := range strings.Split(strings.Trim(e[2], "[] "), ",") {
				m.add(key, item)
			}
			continue
		}
		text := strings.TrimSpace(line)
		if kind, ok := strings.CutPrefix(text, "type:"); ok && key == "negative" {
			m.negative.kind = strings.TrimSpace(kind)
		} else if phase, ok := strings.CutPrefix(text, "phase:"); ok && key == "negative" {
			m.negative.phase = strings.TrimSpace(phase)
		} else if item, ok := strings.CutPrefix(text, "- "); ok {
			m.add(key, item)
		}
	}
	return m
}

func (m *meta) add(key, item string) {
	item = strings.TrimSpace(item)
	if item == "" {
		return
	}
	switch key {
	case "flags":
		m.flags = append(m.flags, item)
	case "includes":
		m.includes = append(m.includes, item)
	case "features":
		m.features = append(m.features, item)
	}
}

// absent are features that V8 does not ship, and those that need more than one realm or agent.
var absent = map[string]bool{
	"Temporal": true, "ShadowRealm": true, "decorators": true, "source-phase-imports": true,
	"source-phase-imports-module-source": true, "import-defer": true, "export-defer": true, "import-text": true,
	"import-bytes": true, "immutable-arraybuffer": true, "nonextensible-applies-to-private": true,
	"await-dictionary": true, "error-stack-accessor": true, "Iterator.prototype.join": true, "IsHTMLDDA": true,
	"tail-call-optimization": true, "cross-realm": true, "host-gc-required": true, "Atomics.waitAsync": true,
	"iterator-chunking": true, "iterator-includes": true, "joint-iteration": true, "legacy-regexp": true,
}

// leave says whether a test is none for us.
func (m *meta) leave(source string) bool {
	for _, f := range m.features {
		if absent[f] {
			return true
		}
	}
	return m.has("module") || strings.Contains(source, "$262.createRealm") || strings.Contains(source, "$262.agent.")
}

func (m *meta) has(flag string) bool {
	for _, f := range m.flags {
		if f == flag {
			return true
		}
	}
	return false
}
