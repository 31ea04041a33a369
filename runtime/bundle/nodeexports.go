package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// nodeConditions are those under which Node resolves a package, with the platform's own first.
var nodeConditions = []string{"workerd", "worker", "node", "module-sync", "default"}

// asked marks the question whether an import is found in the usual way.
type asked struct{}

// asNode resolves an import of a package that exists but does not want to be in a browser. Tests run packages that are
// made for Node only, which Cloudflare's integration leaves to Node's rules.
func (b *Builder) asNode(build api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, bool) {
	switch args.PluginData.(type) {
	case nil, resolvingModule:
	default:
		return api.OnResolveResult{}, false // a question of ours
	}
	if !b.options.NodePackages || args.Kind == api.ResolveEntryPoint ||
		strings.HasPrefix(args.Path, ".") || strings.HasPrefix(args.Path, "/") || strings.HasPrefix(args.Path, "#") {
		return api.OnResolveResult{}, false
	}
	found := build.Resolve(args.Path, api.ResolveOptions{
		Kind: args.Kind, Importer: args.Importer, ResolveDir: args.ResolveDir, PluginData: asked{}, With: args.With,
	})
	if len(found.Errors) == 0 {
		return api.OnResolveResult{}, false
	}
	conditions := append([]string{"import"}, nodeConditions...)
	if args.Kind == api.ResolveJSRequireCall || args.Kind == api.ResolveJSRequireResolve {
		conditions[0] = "require"
	}
	file := nodeExport(args.ResolveDir, args.Path, conditions)
	return api.OnResolveResult{Path: file}, file != ""
}

// nodeExport is the file that a specifier means by the exports of its package, "" if there is none.
func nodeExport(dir, specifier string, conditions []string) string {
	name := packageName(specifier)
	subpath := "." + strings.TrimPrefix(specifier, name)
	for {
		folder := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
		if data, err := os.ReadFile(filepath.Join(folder, "package.json")); err == nil {
			var pkg struct{ Exports json.RawMessage }
			if json.Unmarshal(data, &pkg) != nil {
				return ""
			}
			target := exportTarget(pkg.Exports, subpath, conditions)
			if target == "" {
				return ""
			}
			file := filepath.Join(folder, filepath.FromSlash(target))
			if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
				return ""
			}
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// exportTarget is what exports name for a subpath, "" for nothing.
func exportTarget(exports json.RawMessage, subpath string, conditions []string) string {
	members := orderedMembers(exports)
	if len(members) > 0 && strings.HasPrefix(members[0].name, ".") {
		for _, m := range members {
			if m.name == subpath {
				return conditional(m.value, conditions)
			}
		}
		for _, m := range members {
			before, after, star := strings.Cut(m.name, "*")
			if star && len(subpath) >= len(before)+len(after) && strings.HasPrefix(subpath, before) &&
				strings.HasSuffix(subpath, after) {
				middle := subpath[len(before) : len(subpath)-len(after)]
				return strings.ReplaceAll(conditional(m.value, conditions), "*", middle)
			}
		}
		return ""
	}
	if subpath != "." {
		return ""
	}
	return conditional(exports, conditions)
}

// conditional is the target of the first condition that holds.
func conditional(value json.RawMessage, conditions []string) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for _, v := range list {
			if t := conditional(v, conditions); t != "" {
				return t
			}
		}
		return ""
	}
	for _, m := range orderedMembers(value) {
		for _, c := range conditions {
			if m.name != c {
				continue
			}
			if t := conditional(m.value, conditions); t != "" {
				return t
			}
		}
	}
	return ""
}

type orderedMember struct {
	name  string
	value json.RawMessage
}

// orderedMembers are the members of an object in their order, which decides between conditions.
func orderedMembers(object json.RawMessage) (out []orderedMember) {
	d := json.NewDecoder(strings.NewReader(string(object)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		m := orderedMember{name: key.(string)}
		if d.Decode(&m.value) != nil {
			return nil
		}
		out = append(out, m)
	}
	return out
}
