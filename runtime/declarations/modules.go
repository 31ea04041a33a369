package declarations

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"eddy/runtime/bundle"
	"eddy/wrangler"
)

// ruleSet is what one environment says of modules that are not JavaScript.
type ruleSet struct {
	rules   []wrangler.Rule // those that have an effect
	user    []wrangler.Rule
	finding bool // additional modules are looked for, so that globs mean paths
}

func (s ruleSet) same(other ruleSet) bool {
	return s.finding == other.finding && reflect.DeepEqual(withoutPlaces(s.user), withoutPlaces(other.user))
}

func withoutPlaces(rules []wrangler.Rule) []wrangler.Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Pos = wrangler.Pos{}
	}
	return rules
}

// rulesOf drops the rules that an earlier one of their type leaves without effect.
func rulesOf(cfg *wrangler.Config) ruleSet {
	set := ruleSet{finding: cfg.Build.FindAdditionalModules}
	complete := map[wrangler.RuleType]bool{}
	for _, rule := range cfg.Build.Rules {
		if rule.Pos != (wrangler.Pos{}) {
			set.user = append(set.user, rule)
		}
		if complete[rule.Type] {
			continue
		}
		complete[rule.Type] = rule.Fallthrough == nil || !*rule.Fallthrough
		set.rules = append(set.rules, rule)
	}
	return set
}

// moduleKinds are the types of what such modules export.
var moduleKinds = map[wrangler.RuleType]string{
	wrangler.CompiledWasm: "WebAssembly.Module", wrangler.Data: "ArrayBuffer", wrangler.Text: "string",
}

// pattern is the glob of a rule as TypeScript can have it: with one star at most, which crosses slashes.
type pattern struct {
	glob string
	// fallback is a wider pattern for the same files, by their extension; "" if there is none.
	fallback string
	// exact says that glob means what the rule's does, as far as one star can.
	exact bool
	// everywhere says that glob is the fallback and was written for all folders.
	everywhere bool
	// starred says that the rule's glob has a star.
	starred bool
}

func patternOf(glob string) pattern {
	p := pattern{glob: glob, fallback: fallbackOf(glob), exact: true}
	if !strings.Contains(glob, "*") {
		return p
	}
	p.starred = true
	p.glob = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(glob, "**/*", "*"), "**/", "*/"), "/**", "/*")
	p.exact = strings.Count(p.glob, "*") == 1
	p.everywhere = p.exact && p.glob == p.fallback && strings.HasPrefix(glob, "**/")
	if !p.exact {
		if p.glob = p.fallback; p.glob == "" {
			p.glob = "*"
		}
	}
	return p
}

func fallbackOf(glob string) string {
	if star := strings.LastIndex(glob, "*"); star >= 0 {
		if suffix := glob[star+1:]; suffix != "" {
			return "*" + suffix
		}
		return ""
	}
	if dot := strings.LastIndex(glob, "."); dot > strings.LastIndexAny(glob, `/\`) {
		return "*" + glob[dot:]
	}
	return ""
}

// applied is a rule's glob that takes part.
type applied struct {
	pattern
	deployed *regexp.Regexp // which modules the rule's own glob takes
	kind     string
}

// ordered is a set that keeps the order in which it grew.
type ordered []string

func (o *ordered) add(s string) {
	if !slices.Contains(*o, s) {
		*o = append(*o, s)
	}
}

// wide is a fallback, and what is known of it.
type wide struct {
	kinds ordered
	done  bool // a rule for all folders has settled it
	emit  bool
}

// resolved are the patterns of one set of rules.
type resolved struct {
	applied       []applied
	narrow        ordered // patterns that mean what their rules do
	fallbacks     map[string]*wide
	fallbackOrder ordered
}

func (s ruleSet) resolve() resolved {
	out := resolved{fallbacks: map[string]*wide{}}
	var seen ordered
	for _, rule := range s.rules {
		kind := moduleKinds[rule.Type]
		if kind == "" {
			continue
		}
		for _, glob := range rule.Globs {
			if slices.Contains(seen, glob) {
				continue
			}
			seen.add(glob)
			p := patternOf(glob)
			out.applied = append(out.applied, applied{p, regexp.MustCompile(bundle.GlobPattern(glob, s.finding)), kind})
			out.take(p, kind)
		}
	}
	return out
}

func (r *resolved) take(p pattern, kind string) {
	if p.fallback == "" {
		r.narrow.add(p.glob)
		return
	}
	w := r.fallbacks[p.fallback]
	if w == nil {
		w = &wide{}
	}
	if w.done {
		return
	}
	if p.exact && p.glob != p.fallback {
		r.narrow.add(p.glob)
	}
	w.kinds.add(kind)
	w.done = p.everywhere
	w.emit = w.emit || p.starred
	r.fallbacks[p.fallback] = w
	r.fallbackOrder.add(p.fallback)
}

// kindsOf are the types of the modules that a pattern of any set may mean in this one.
func (r *resolved) kindsOf(glob string) (kinds ordered) {
	var covered []string
	for _, rule := range r.applied {
		guessed := !rule.exact
		if guessed && !strings.Contains(glob, "*") {
			if !rule.deployed.MatchString(glob) {
				continue
			}
			guessed = false
		}
		overlap, ok := intersect(glob, rule.glob)
		if !ok || slices.ContainsFunc(covered, func(c string) bool { return contains(c, overlap) }) {
			continue
		}
		kinds.add(rule.kind)
		if !guessed {
			covered = append(covered, overlap)
			if contains(rule.glob, glob) {
				break
			}
		}
	}
	return kinds
}

// intersect is a pattern for the modules that two patterns share.
func intersect(a, b string) (string, bool) {
	beforeA, afterA, starA := strings.Cut(a, "*")
	beforeB, afterB, starB := strings.Cut(b, "*")
	switch {
	case !starA:
		return a, contains(b, a)
	case !starB:
		return b, contains(a, b)
	case !strings.HasPrefix(beforeA, beforeB) && !strings.HasPrefix(beforeB, beforeA),
		!strings.HasSuffix(afterA, afterB) && !strings.HasSuffix(afterB, afterA):
		return "", false
	}
	before, after := beforeA, afterA
	if len(beforeB) > len(before) {
		before = beforeB
	}
	if len(afterB) > len(after) {
		after = afterB
	}
	return before + "*" + after, true
}

// contains tells whether a pattern takes all that another one does.
func contains(outer, inner string) bool {
	before, after, star := strings.Cut(outer, "*")
	if !star {
		return outer == inner
	}
	innerBefore, innerAfter, innerStar := strings.Cut(inner, "*")
	if !innerStar {
		return len(inner) >= len(before)+len(after) && strings.HasPrefix(inner, before) &&
			strings.HasSuffix(inner, after)
	}
	return strings.HasPrefix(innerBefore, before) && strings.HasSuffix(innerAfter, after)
}

// patterns declares the modules of the configuration's rules.
func (p *Project) patterns() []string { return declareModules([]ruleSet{rulesOf(p.config)}) }

// declareModules declares the modules of all sets of rules. A pattern has the types that it has in any of them.
func declareModules(sets []ruleSet) (out []string) {
	var globs, fallbackOrder ordered
	fallbacks := map[string]*wide{}
	all := make([]resolved, len(sets))
	for i, set := range sets {
		all[i] = set.resolve()
		for _, glob := range all[i].narrow {
			globs.add(glob)
		}
		for _, glob := range all[i].fallbackOrder {
			w := fallbacks[glob]
			if w == nil {
				w = &wide{}
				fallbacks[glob] = w
				fallbackOrder.add(glob)
			}
			for _, kind := range all[i].fallbacks[glob].kinds {
				w.kinds.add(kind)
			}
			w.emit = w.emit || all[i].fallbacks[glob].emit
		}
	}
	for _, glob := range fallbackOrder {
		if w := fallbacks[glob]; w.emit || len(w.kinds) > 1 {
			globs.add(glob)
		}
	}
	for _, glob := range globs {
		var kinds ordered
		for _, r := range all {
			for _, kind := range r.kindsOf(glob) {
				kinds.add(kind)
			}
		}
		out = append(out, fmt.Sprintf("declare module \"%s\" {\n\tconst value: %s;\n\texport default value;\n}", glob,
			strings.Join(kinds, " | ")))
	}
	return out
}
