package wrangler

import (
	"fmt"
	"slices"
	"strings"
)

// RuleType says what a module rule makes of the files it matches.
type RuleType string

const (
	ESModule     RuleType = "ESModule"
	CommonJS     RuleType = "CommonJS"
	CompiledWasm RuleType = "CompiledWasm"
	Text         RuleType = "Text"
	Data         RuleType = "Data"
	PythonModule RuleType = "PythonModule"
)

// Rule maps files to a module type by glob.
type Rule struct {
	Type        RuleType
	Globs       []string
	Fallthrough *bool // true lets the next rule of the same type apply too
	Pos         Pos   // zero for the default rules
}

// DefaultRules are the module rules of every Worker; they come after the user's own.
func DefaultRules() []Rule {
	return []Rule{
		{Type: Text, Globs: []string{"**/*.txt", "**/*.html", "**/*.sql"}},
		{Type: Data, Globs: []string{"**/*.bin"}},
		{Type: CompiledWasm, Globs: []string{"**/*.wasm", "**/*.wasm?module"}},
	}
}

// BuildOptions is everything that decides how source becomes a bundle.
type BuildOptions struct {
	Rules                 []Rule            // in order of precedence, the defaults included
	Alias                 map[string]string // module → module or path as written
	Define                map[string]string // identifier → JavaScript expression
	NoBundle              bool
	FindAdditionalModules bool
	BaseDir               string // absolute; "" for the directory of main
	Minify                bool
	KeepNames             bool   // default true
	TSConfig              string // absolute; "" lets the bundler look
	JSXFactory            string // default React.createElement
	JSXFragment           string // default React.Fragment
	PreserveFileNames     bool

	Command   string   // custom build, run before bundling
	Cwd       string   // absolute; default Dir
	WatchDirs []string // absolute; only with a Command; default src
}

func (s *scope) readBuild(cfg *Config) {
	b := BuildOptions{KeepNames: true, JSXFactory: "React.createElement", JSXFragment: "React.Fragment"}
	flag := func(key string, into *bool) {
		s.scalar(key, func(o *object, key string) {
			if v := o.boolean(key); v != nil {
				*into = *v
			}
		})
	}
	flag("no_bundle", &b.NoBundle)
	b.FindAdditionalModules = b.NoBundle // without a bundle there is nothing else that could be imported
	flag("find_additional_modules", &b.FindAdditionalModules)
	flag("minify", &b.Minify)
	flag("keep_names", &b.KeepNames)
	flag("preserve_file_names", &b.PreserveFileNames)
	s.scalar("base_dir", func(o *object, key string) { b.BaseDir = cfg.abs(o.text(key)) })
	s.scalar("tsconfig", func(o *object, key string) { b.TSConfig = cfg.abs(o.text(key)) })
	s.scalar("jsx_factory", func(o *object, key string) { b.JSXFactory = firstNonEmpty(o.text(key), b.JSXFactory) })
	s.scalar("jsx_fragment", func(o *object, key string) { b.JSXFragment = firstNonEmpty(o.text(key), b.JSXFragment) })
	b.Alias = s.stringMap("alias")
	b.Define = s.stringMap("define")
	b.Rules = s.readRules()
	s.readCustomBuild(cfg, &b)
	cfg.Build = b
}

// stringMap reads a section whose members are all strings.
func (s *scope) stringMap(key string) map[string]string {
	e, ok := s.lookup(key)
	if !ok {
		return nil
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return nil
	}
	m := make(map[string]string, len(o.n.fields))
	for _, name := range o.n.keys() {
		if v := o.n.get(name); v.kind == stringNode {
			m[name] = v.text
		} else {
			s.errorAt(v.span,
				fmt.Sprintf("The field %q should be a string but got %s.", e.path+"."+name, v.shortJSON()),
				o.retype(name, "string", v))
		}
	}
	if keyRules[key] == notInherited {
		s.warnMissingNames(e)
	}
	return m
}

func (s *scope) readCustomBuild(cfg *Config, b *BuildOptions) {
	e, ok := s.lookup("build")
	if !ok {
		return
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	b.Command = o.text("command")
	b.Cwd = firstNonEmpty(cfg.abs(o.text("cwd")), cfg.Dir)
	dirs := []string{"src"}
	if v := o.n.get("watch_dir"); v != nil && v.kind == arrayNode {
		dirs = o.texts("watch_dir")
	} else if dir := o.text("watch_dir"); dir != "" {
		dirs = []string{dir}
	}
	if b.Command != "" {
		for _, dir := range dirs {
			b.WatchDirs = append(b.WatchDirs, cfg.abs(dir))
		}
	}
	o.accept("upload")
	o.finish()
}

// readRules reads the user's rules and puts the defaults behind them. A rule ends the list for its type unless it
// says fallthrough: true; rules behind the end are dropped, with a warning unless the user said fallthrough: false.
func (s *scope) readRules() []Rule {
	var own []Rule
	if e, ok := s.lookup("rules"); ok && e.value.kind != nullNode {
		for _, o := range s.openAll(e.path, e.value, entryPhrase) {
			if rule, ok := readRule(o); ok {
				own = append(own, rule)
			}
		}
	}
	var rules []Rule
	ended := make(map[RuleType]Rule)
	for _, rule := range slices.Concat(own, DefaultRules()) {
		if last, ok := ended[rule.Type]; ok {
			if last.Fallthrough == nil {
				s.warnDroppedRule(last, rule)
			}
			continue
		}
		rules = append(rules, rule)
		if rule.Fallthrough == nil || !*rule.Fallthrough {
			ended[rule.Type] = rule
		}
	}
	return rules
}

func (s *scope) warnDroppedRule(last, dropped Rule) {
	which := strings.Join(dropped.Globs, ", ")
	if !dropped.Pos.IsValid() {
		which += " (DEFAULT)"
	}
	offset := s.src.offsetOf(last.Pos)
	s.warnAt(span{offset, offset + 1},
		fmt.Sprintf("The %s module rule for %s does not have a fallback, so the following rule will be ignored: %s",
			last.Type, strings.Join(last.Globs, ", "), which),
		fmt.Sprintf("add %s to use both rules, or %s to silence this warning", s.assign("fallthrough", "true"),
			s.assign("fallthrough", "false")))
}

func readRule(o *object) (Rule, bool) {
	rule := Rule{Fallthrough: o.boolean("fallthrough"), Pos: o.pos()}
	if o.n.get("type") == nil {
		o.missing("type", "string", `"Text"`)
	}
	rule.Type = RuleType(
		o.oneOf("type", string(ESModule), string(CommonJS), string(CompiledWasm), string(Text), string(Data),
			string(PythonModule)))
	if o.n.get("globs") == nil {
		o.missing("globs", "string array", `["**/*.txt"]`)
	}
	rule.Globs = o.texts("globs")
	o.finish()
	return rule, rule.Type != "" && len(rule.Globs) > 0
}
