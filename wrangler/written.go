package wrangler

import (
	"slices"
	"strconv"
)

// Written is a value of a configuration file as it stands in the file: without defaults, nothing inherited, nothing
// checked. The zero Written is a value that is not there; it has no members, no items and no text.
type Written struct{ n *node }

// ReadWritten reads a file as Load does, but all environments of it. The Diagnostics are those of its syntax.
func ReadWritten(path string) (Written, Diagnostics) {
	var rep report
	_, root := readFile(path, &rep)
	return Written{root}, rep.sorted()
}

// Exists reports whether the file has the value. null counts as one that it has not.
func (w Written) Exists() bool { return w.n != nil && w.n.kind != nullNode }

// Get is the member called key of an object.
func (w Written) Get(key string) Written {
	if w.n == nil || w.n.kind != objectNode {
		return Written{}
	}
	return Written{w.n.get(key)}
}

// Items are those of an array.
func (w Written) Items() []Written {
	if w.n == nil {
		return nil
	}
	items := make([]Written, len(w.n.items))
	for i, item := range w.n.items {
		items[i] = Written{item}
	}
	return items
}

// Keys are the names of an object's members in the order in which JavaScript lists them: array indices by size, then
// the others as the file has them.
func (w Written) Keys() []string {
	if w.n == nil || w.n.kind != objectNode {
		return nil
	}
	var indices []uint64
	var names []string
	for _, key := range w.n.keys() {
		n, err := strconv.ParseUint(key, 10, 32)
		if err == nil && n < 1<<32-1 && strconv.FormatUint(n, 10) == key {
			indices = append(indices, n)
		} else {
			names = append(names, key)
		}
	}
	slices.Sort(indices)
	keys := make([]string, 0, len(indices)+len(names))
	for _, n := range indices {
		keys = append(keys, strconv.FormatUint(n, 10))
	}
	return append(keys, names...)
}

// Text is a string's text, "" for anything else.
func (w Written) Text() string {
	if w.n == nil || w.n.kind != stringNode {
		return ""
	}
	return w.n.text
}

// JSON is the value as JSON.stringify writes it, "" for one that is not there.
func (w Written) JSON() string {
	if w.n == nil {
		return ""
	}
	return w.n.json()
}

// Type is what JavaScript's typeof says of the value: null, arrays and dates are objects.
func (w Written) Type() string {
	switch {
	case w.n == nil:
		return "undefined"
	case w.n.kind == boolNode, w.n.kind == numberNode, w.n.kind == stringNode:
		return w.n.typeName()
	}
	return "object"
}

// IsArray reports whether the value is an array.
func (w Written) IsArray() bool { return w.n != nil && w.n.kind == arrayNode }

// DotenvNames are the names that the dotenv files beside the configuration give, read with opts as Load reads them
// (DEV2), whatever else the configuration says of them.
func (c *Config) DotenvNames(opts Options) []string {
	reader := Config{ProjectDir: c.ProjectDir, Env: opts.Env}
	_, names := reader.loadDotenv(&report{}, opts)
	return names
}
