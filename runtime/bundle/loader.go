package bundle

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"eddy/runtime/lazyregexp"
)

// RuleType is what a module rule makes of a file.
type RuleType string

// The module kinds of wrangler's rules.
const (
	RuleESModule     RuleType = "ESModule"
	RuleCommonJS     RuleType = "CommonJS"
	RuleCompiledWasm RuleType = "CompiledWasm"
	RuleText         RuleType = "Text"
	RuleData         RuleType = "Data"
)

// Rule gives a kind to the files whose import path matches one of the globs.
type Rule struct {
	Type  RuleType
	Globs []string
	// Fallthrough lets later rules of the same type apply as well; the default is that they don't.
	Fallthrough *bool
}

// defaultRules are wrangler's.
var defaultRules = []Rule{
	{Type: RuleText, Globs: []string{"**/*.txt", "**/*.html", "**/*.sql"}},
	{Type: RuleData, Globs: []string{"**/*.bin"}},
	{Type: RuleCompiledWasm, Globs: []string{"**/*.wasm", "**/*.wasm?module"}},
}

// Asset is a file that the host hands to the script: the module's default export.
type Asset struct {
	// Name is the specifier that the script asks for.
	Name string
	// Kind is RuleCompiledWasm (WebAssembly.Module), RuleText (string) or RuleData (ArrayBuffer).
	Kind  RuleType
	File  string
	Bytes []byte
}

// effectiveRules puts the default rules behind the user's, and drops those that an earlier rule of the same type
// without fallthrough makes ineffective. The warnings name only user rules that silence a rule without saying so.
func effectiveRules(user []Rule) ([]Rule, []BuildMessage, error) {
	complete := map[RuleType]Rule{}
	ignored := map[RuleType][]string{}
	var rules []Rule
	for i, rule := range append(append([]Rule{}, user...), defaultRules...) {
		switch rule.Type {
		case RuleESModule, RuleCommonJS, RuleCompiledWasm, RuleText, RuleData:
		case "PythonModule", "PythonRequirement":
			return nil, nil, &BuildError{Messages: []BuildMessage{{
				Text:       fmt.Sprintf("Module rule %q: Python Workers are not supported", rule.Type),
				Suggestion: "remove the rule; eddy runs JavaScript, TypeScript and WebAssembly",
			}}}
		default:
			return nil, nil, &BuildError{Messages: []BuildMessage{{
				Text:       fmt.Sprintf("Module rule of unknown type %q", rule.Type),
				Suggestion: "use ESModule, CommonJS, CompiledWasm, Text or Data",
			}}}
		}
		if _, done := complete[rule.Type]; done {
			label := strings.Join(rule.Globs, ", ")
			if i >= len(user) {
				label += " (default)"
			}
			ignored[rule.Type] = append(ignored[rule.Type], label)
			continue
		}
		if rule.Fallthrough == nil || !*rule.Fallthrough {
			complete[rule.Type] = rule
		}
		rules = append(rules, rule)
	}
	var warnings []BuildMessage
	for _, rule := range rules {
		if len(ignored[rule.Type]) == 0 || rule.Fallthrough != nil {
			continue
		}
		warnings = append(warnings, BuildMessage{
			Text: fmt.Sprintf("The module rule of type %s for %s has no fallthrough, so these rules are ignored: %s",
				rule.Type, strings.Join(rule.Globs, ", "), strings.Join(ignored[rule.Type], "; ")),
			Suggestion: "add fallthrough = true to apply the later rules too, or fallthrough = false to silence this " +
				"warning",
		})
	}
	return rules, warnings, nil
}

var noLoader = lazyregexp.New(`^No loader is configured for "(\.[^"]*)" files`)

// ruleFor is the rule that a refused import wants, "" for messages about something else.
func ruleFor(text string) string {
	m := noLoader.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	kind := RuleData
	switch m[1] {
	case ".md", ".mdx", ".sql", ".graphql", ".gql", ".csv", ".svg", ".xml", ".yaml", ".yml", ".toml", ".html", ".pem":
		kind = RuleText
	}
	return fmt.Sprintf(`import such files as text or data with a rule in the configuration: `+
		`"rules": [{ "type": %q, "globs": ["**/*%s"], "fallthrough": true }]`, kind, m[1])
}

// compiledRule is one glob of a rule.
type compiledRule struct {
	kind RuleType
	// specifier matches import paths, where * also crosses slashes; path matches files under the base folder.
	specifier, path *regexp.Regexp
}

func compileRules(rules []Rule) ([]compiledRule, error) {
	var out []compiledRule
	for _, rule := range rules {
		for _, glob := range rule.Globs {
			specifier, err := regexp.Compile(GlobPattern(glob, false))
			if err != nil {
				return nil, fmt.Errorf("module rule %s, glob %q: %w", rule.Type, glob, err)
			}
			path, err := regexp.Compile(GlobPattern(glob, true))
			if err != nil {
				return nil, fmt.Errorf("module rule %s, glob %q: %w", rule.Type, glob, err)
			}
			out = append(out, compiledRule{kind: rule.Type, specifier: specifier, path: path})
		}
	}
	return out, nil
}

// globPattern translates a glob the way wrangler does. Only * is special: any run of characters, or with globstar any
// run without a slash, where ** as a whole segment stands for any number of folders.
func GlobPattern(glob string, globstar bool) string {
	var b strings.Builder
	b.WriteByte('^')
	for i := 0; i < len(glob); {
		if glob[i] != '*' {
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
			i++
			continue
		}
		end := i
		for end < len(glob) && glob[end] == '*' {
			end++
		}
		whole := end-i > 1 && (i == 0 || glob[i-1] == '/') && (end == len(glob) || glob[end] == '/')
		switch {
		case !globstar:
			b.WriteString(".*")
		case whole:
			b.WriteString(`(?:[^/]*(?:/|$))*`)
			if end < len(glob) {
				end++ // the slash belongs to the segments
			}
		default:
			b.WriteString("[^/]*")
		}
		i = end
	}
	b.WriteByte('$')
	return b.String()
}

// assetLoader is the esbuild plugin behind asset rules. esbuild calls it from several goroutines.
type assetLoader struct {
	options Options
	rules   []compiledRule

	mu struct {
		sync.Mutex
		assets map[string]*Asset // by name, for one build
		order  []string
	}
}

func (l *assetLoader) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.assets = map[string]*Asset{}
	l.mu.order = nil
}

func (l *assetLoader) add(a Asset) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.assets[a.Name] == nil {
		l.mu.order = append(l.mu.order, a.Name)
	}
	l.mu.assets[a.Name] = &a
}

func (l *assetLoader) has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.assets[name] != nil
}

// file is where an asset is on disk.
func (l *assetLoader) file(name string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.mu.assets[name]; a != nil {
		return a.File, true
	}
	return "", false
}

// list returns the assets of the build, sorted by name.
func (l *assetLoader) list() []Asset {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Asset, 0, len(l.mu.order))
	for _, name := range l.mu.order {
		out = append(out, *l.mu.assets[name])
	}
	slices.SortFunc(out, func(a, b Asset) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// match returns the rule for an import path. JavaScript rules take part only when additional modules are searched.
func (l *assetLoader) match(specifier string) (RuleType, bool) {
	for _, rule := range l.rules {
		if rule.kind != RuleESModule && rule.kind != RuleCommonJS && rule.specifier.MatchString(specifier) {
			return rule.kind, true
		}
	}
	return "", false
}

// besideEntry finds a file beside the entry file by its bare name, as the first wrangler did and today's still does
// with a warning.
func (l *assetLoader) besideEntry(name string) (file string, kind RuleType, ok bool) {
	if strings.ContainsAny(name, `/\`) {
		return "", "", false
	}
	if kind, ok = l.match("./" + name); !ok {
		return "", "", false
	}
	entry := l.options.Entry
	if !filepath.IsAbs(entry) {
		entry = filepath.Join(l.options.Dir, entry)
	}
	file = filepath.Join(filepath.Dir(entry), name)
	info, err := os.Stat(file)
	return file, kind, err == nil && info.Mode().IsRegular()
}

// resolvingAsset marks the loader's own question to esbuild, so that the loader does not answer itself.
type resolvingAsset struct{}

func (l *assetLoader) resolve(build api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	if _, own := args.PluginData.(resolvingAsset); own || args.Kind == api.ResolveEntryPoint {
		return api.OnResolveResult{}, nil
	}
	if l.has(args.Path) && args.Namespace == requireNamespace {
		return api.OnResolveResult{Path: args.Path, External: true}, nil
	}
	clean, _, _ := strings.Cut(args.Path, "?")
	file := filepath.Join(args.ResolveDir, filepath.FromSlash(clean))
	kind, ok := l.match(args.Path)
	var warnings []api.Message
	if !ok {
		if file, kind, ok = l.besideEntry(clean); !ok {
			return api.OnResolveResult{}, nil
		}
		warnings = []api.Message{
			{Text: fmt.Sprintf(
				"%q names a file beside the entry file as if it were a package; write %q", args.Path, "./"+args.Path)}}
	}
	if warnings == nil {
		file = locate(build, args, clean, file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return api.OnResolveResult{WatchFiles: []string{file}, Errors: []api.Message{{
			Text:  fmt.Sprintf("Could not read %q as a %s module", args.Path, kind),
			Notes: []api.Note{{Text: whyUnread(err)}},
		}}}, nil
	}
	name := assetName(clean, data, l.options.PreserveFileNames)
	l.add(Asset{Name: name, Kind: kind, File: file, Bytes: data})
	result := api.OnResolveResult{Path: name, WatchFiles: []string{file}, Warnings: warnings}
	switch {
	case l.options.Format == FormatServiceWorker:
		result.Namespace = assetNamespace
	case args.Kind == api.ResolveJSRequireCall:
		result.Namespace = requireNamespace
	default:
		result.External = true
	}
	return result, nil
}

// locate returns the file that a specifier means. If nothing is found, it returns missing.
func locate(build api.PluginBuild, args api.OnResolveArgs, specifier, missing string) string {
	if file, ok := resolveClassic(args.ResolveDir, specifier); ok {
		return file
	}
	found := build.Resolve(specifier, api.ResolveOptions{
		Kind: args.Kind, Importer: args.Importer, ResolveDir: args.ResolveDir, PluginData: resolvingAsset{},
	})
	if len(found.Errors) == 0 && found.Path != "" && !found.External {
		return found.Path
	}
	return missing
}

// resolveClassic finds a file the way Node did before packages had exports. wrangler looks for collected modules like
// that, and prefers what it finds: a file of a package can be imported although the package's exports do not name it.
func resolveClassic(dir, specifier string) (string, bool) {
	isFile := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	}
	local := filepath.FromSlash(specifier)
	if strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../") || filepath.IsAbs(local) {
		if !filepath.IsAbs(local) {
			local = filepath.Join(dir, local)
		}
		return local, isFile(local)
	}
	for {
		if filepath.Base(dir) != "node_modules" {
			if path := filepath.Join(dir, "node_modules", local); isFile(path) {
				return path, true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// assetName is wrangler's name for a collected module.
func assetName(path string, data []byte, preserve bool) string {
	sum := sha1.Sum(data)
	hash := hex.EncodeToString(sum[:])
	base := filepath.Base(filepath.FromSlash(path))
	switch {
	case !preserve:
		return "./" + hash + "-" + base
	case filepath.IsAbs(path):
		return "./" + hash + "/" + base
	}
	return path
}
