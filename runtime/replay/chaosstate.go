package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"eddy/runtime/journal"
)

// What may differ is declared by paths: as a line of kind ignore in a file of events, or in a comment beside the
// consumer, after this word.
const ignoreWord = "eddy-chaos-ignore"

// ignoredIn returns the paths that lines of files declare.
func ignoredIn(list []*Recorded) (paths []string) {
	for _, r := range list {
		if r.Line.Kind == journal.Ignore {
			paths = append(paths, r.Line.Ignore...)
		}
	}
	return paths
}

var ignoreComment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:` + `//[ \t]*` + ignoreWord + `[ \t]+(.+?)` + `|` +
		`\*[ \t]*` + ignoreWord + `[ \t]+(.+?)[ \t]*(?:\*/.*)?` + `)[ \t\r]*$`)
})

// commented returns the paths that comments in the Workers' code declare.
func (c *checker) commented() (paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.scripts {
		for _, file := range s.Bundle.Inputs {
			if strings.Contains(file, "node_modules") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				continue // a generated module
			}
			paths = append(paths, ignoredBy(string(text))...)
		}
	}
	slices.Sort(paths)
	return paths
}

// ignoredBy returns the paths that the comments of one file declare.
func ignoredBy(text string) (paths []string) {
	for _, m := range ignoreComment().FindAllStringSubmatch(text, -1) {
		paths = append(paths, strings.Fields(strings.ReplaceAll(m[1]+m[2], ",", " "))...)
	}
	return paths
}

// CheckIgnore refuses a path at which nothing can be.
func CheckIgnore(path string) error {
	root := path
	if i := strings.IndexAny(path, ".[*"); i >= 0 {
		root = path[:i]
	}
	known := []string{"kv", "r2", "d1", "objects", "queues", "dead", "outgoing"}
	if whole := root == path; whole && slices.Contains(known, root) ||
		!whole && slices.ContainsFunc(known, func(k string) bool {
			return k == root || path[len(root)] == '*' && strings.HasPrefix(k, root)
		}) {
		return nil
	}
	return fmt.Errorf("%q is no path of what may differ: expected one such as kv.BINDING.KEY, with * for any text; "+
		"paths begin with kv, r2, d1, objects, queues, dead or outgoing", path)
}

// pathPattern compiles a path: * stands for any text, and a path includes what is below it.
func pathPattern(path string) *regexp.Regexp {
	parts := strings.Split(path, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`^` + strings.Join(parts, ".*") + `(?:[.\[].*)?$`)
}

var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
})

// normal is an end state in the form in which it is compared. It lacks what is ignored. Lists whose order is free are
// sorted. Random UUIDs, which differ in each delivery, are all alike. Messages of a queue with the same key count once,
// because a consumer can tell by the key that it has had them.
func (c *checker) normal(state any) any { return c.plain("", decode(encode(state))) }

func (c *checker) plain(path string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			below := strings.TrimPrefix(path+"."+name, ".")
			if c.ignored(below) {
				continue
			}
			value, key := c.plain(below, v[name]), uuid().ReplaceAllString(name, "<uuid>")
			for n := 2; out[key] != nil; n++ {
				key = uuid().ReplaceAllString(name, "<uuid>") + " (" + strconv.Itoa(n) + ")"
			}
			out[key] = value
		}
		return out
	case []any:
		list := slices.Clone(v)
		if strings.HasPrefix(path, "queues.") {
			list = c.distinct(list)
		}
		for i := range list {
			list[i] = c.plain(path+"[]", list[i])
		}
		if isList(path) {
			slices.SortStableFunc(list, func(a, b any) int { return cmp.Compare(string(encode(a)), string(encode(b))) })
		}
		return list
	case string:
		return uuid().ReplaceAllString(v, "<uuid>")
	}
	return v
}

// isList tells whether a path leads to a list of rows or messages, and not to a value that happens to be a list.
func isList(path string) bool {
	parts := strings.Split(path, ".")
	switch parts[0] {
	case "outgoing", "dead":
		return len(parts) == 1
	case "queues":
		return len(parts) == 2
	case "d1":
		return len(parts) == 3
	case "objects":
		return len(parts) == 5 && parts[3] == "sql"
	}
	return false
}

// distinct returns messages without those whose key an earlier one has.
func (c *checker) distinct(list []any) (out []any) {
	seen := map[string]bool{}
	for _, v := range list {
		key := c.key(v)
		if key != "" && seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, v)
	}
	return out
}

var keyName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:id|key|uuid|nonce|(?:event|message|msg|job|task|request|idempotency|dedup|` +
		`dedupe|` +
		`deduplication)[-_]?(?:id|key)|idempotency)$`)
})

// key is what tells a message from others: its field of that name, or a text with the id of a message of the capture.
// It is empty if there is neither.
func (c *checker) key(v any) string {
	body, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	names := make([]string, 0, len(body))
	for name := range body {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text, isText := body[name].(string)
		_, isNumber := body[name].(json.Number)
		if keyName().MatchString(name) && (isNumber || isText && text != "") || isText && c.hasID(text) {
			return name + "=" + string(encode(body[name]))
		}
	}
	return ""
}

// hasID tells whether a text contains the id of a message of the capture.
func (c *checker) hasID(text string) bool {
	for _, d := range c.base {
		for _, m := range d.Line.Messages {
			if strings.Contains(text, m.ID) {
				return true
			}
		}
	}
	return false
}

func (c *checker) ignored(path string) bool {
	return slices.ContainsFunc(c.ignore, func(p *regexp.Regexp) bool { return p.MatchString(path) })
}

// differences compares an end state with that of the plain run, which is in normal form.
func (c *checker) differences(clean, state any) []Difference {
	return compareStates("", clean, c.normal(state))
}

func compareStates(path string, want, got any) (list []Difference) {
	a, isMap := want.(map[string]any)
	b, too := got.(map[string]any)
	if isMap && too {
		names := map[string]bool{}
		for _, m := range []map[string]any{a, b} {
			for name := range m {
				names[name] = true
			}
		}
		sorted := make([]string, 0, len(names))
		for name := range names {
			sorted = append(sorted, name)
		}
		slices.Sort(sorted)
		for _, name := range sorted {
			list = append(list, compareStates(strings.TrimPrefix(path+"."+name, "."), field(a, name),
				field(b, name))...)
		}
		return list
	}
	x, isRows := want.([]any)
	y, andRows := got.([]any)
	if (isRows || want == any(nothing{})) && (andRows || got == any(nothing{})) && isList(path) {
		return compareRows(path, x, y)
	}
	return walk("", path, want, got)
}

// compareRows compares two lists whose order is free.
func compareRows(path string, want, got []any) (list []Difference) {
	left := map[string]int{}
	for _, v := range got {
		left[string(encode(v))]++
	}
	var gone []string
	for _, v := range want {
		if text := string(encode(v)); left[text] > 0 {
			left[text]--
		} else {
			gone = append(gone, text)
		}
	}
	var came []string
	for _, v := range got {
		if text := string(encode(v)); left[text] > 0 {
			left[text]--
			came = append(came, text)
		}
	}
	for i := range max(len(gone), len(came)) {
		d := Difference{Path: path}
		if i < len(gone) {
			d.Want = gone[i]
		}
		if i < len(came) {
			d.Got = came[i]
		}
		list = append(list, d)
	}
	return list
}
