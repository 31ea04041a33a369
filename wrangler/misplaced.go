package wrangler

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/lazyregexp"
)

// swallowed looks for keys of the top level that stand below the name of a table, to which TOML gives them: what it
// found, and what to do about the first.
func (s *scope) swallowed(keys ...string) (notes []string, fix string) {
	if !strings.HasSuffix(s.src.path, ".toml") {
		return nil, ""
	}
	for _, table := range s.top.fields {
		if table.value.kind != objectNode {
			continue
		}
		for _, f := range table.value.fields {
			if !slices.Contains(keys, f.key) {
				continue
			}
			line := at(s.src, f.keySpan, Error, "", "").Line
			notes = append(notes, fmt.Sprintf("There is %q in [%s], at line %d: what stands below the name of a table "+
				"belongs to that table.", f.key, table.key, line))
			if fix == "" {
				fix = fmt.Sprintf("move line %d above the first [table]", line)
			}
		}
	}
	return notes, fix
}

// entryMeant is the script that a path which leads to none was probably meant to name, "" if there is none: one beside
// it with a like name, or the only one where scripts usually are.
func entryMeant(main, dir string) string {
	var usual []string
	for _, folder := range []string{filepath.Dir(main), filepath.Join(dir, "src"), dir} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // the folder of a path that is wrong need not exist
		}
		var names []string
		for _, e := range entries {
			if e.Type().IsRegular() && scriptFile.MatchString(e.Name()) {
				names = append(names, e.Name())
			}
		}
		if meant := didYouMean(filepath.Base(main), names); meant != "" {
			return displayPath(filepath.Join(folder, meant), dir)
		}
		for _, name := range names {
			if stem, _, _ := strings.Cut(name, "."); stem == "index" || stem == "worker" || stem == "main" {
				usual = append(usual, displayPath(filepath.Join(folder, name), dir))
			}
		}
	}
	if slices.Sort(usual); len(slices.Compact(usual)) == 1 {
		return usual[0]
	}
	return ""
}

var scriptFile = lazyregexp.New(`\.[cm]?[jt]sx?$`)

// unitOf is the unit in which a key counts time, 0 for others.
func unitOf(key string) (unit time.Duration, name string) {
	switch key {
	case "max_batch_timeout", "retry_delay", "delivery_delay":
		return time.Second, "seconds"
	case "visibility_timeout_ms", "cpu_ms":
		return time.Millisecond, "milliseconds"
	}
	return 0, ""
}

var durationWords = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)$`)

// spelledDuration reads "5s", "1 minute" and the like.
func spelledDuration(text string) (time.Duration, bool) {
	m := durationWords.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n > 1e6 {
		return 0, false
	}
	var unit time.Duration
	switch strings.TrimSuffix(m[2], "s") {
	case "", "sec", "second":
		unit = time.Second
	case "m":
		if unit = time.Minute; m[2] == "ms" {
			unit = time.Millisecond
		}
	case "min", "minute":
		unit = time.Minute
	case "h", "hr", "hour":
		unit = time.Hour
	case "d", "day":
		unit = 24 * time.Hour
	case "milli", "msec", "millisecond":
		unit = time.Millisecond
	default:
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}
