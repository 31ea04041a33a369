package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	// requireNamespace holds CommonJS faces of host modules: require("node:fs").
	requireNamespace = "eddy-require"
	// assetNamespace holds assets in service-worker format, which has no import statements.
	assetNamespace = "eddy-asset"
)

// MissingExport is the text of the SyntaxError for an import of a name that a virtual module lacks, as V8 writes it.
func MissingExport(specifier, name string) string {
	return fmt.Sprintf("The requested module '%s' does not provide an export named '%s'", specifier, name)
}

// NoSuchModule is the text of the Error for a module that neither the bundle nor the host has (RT8).
func NoSuchModule(specifier string) string {
	return fmt.Sprintf("No such module %q.", specifier)
}

// virtualModules is the esbuild plugin that keeps the host's modules out of the bundle.
type virtualModules struct {
	byName     map[string]VirtualModule
	nodeCompat bool
	// format is that of the current build.
	format EntryFormat
}

func newVirtualModules(o Options) *virtualModules {
	v := &virtualModules{byName: make(map[string]VirtualModule, len(o.Virtual)), nodeCompat: o.NodeCompat}
	for _, m := range o.Virtual {
		v.byName[m.Name] = m
	}
	return v
}

// canonical returns the name under which the host knows a specifier.
func (v *virtualModules) canonical(specifier string) (string, bool) {
	if _, ok := v.byName[specifier]; ok {
		return specifier, true
	}
	if v.nodeCompat {
		if _, ok := v.byName["node:"+specifier]; ok {
			return "node:" + specifier, true
		}
	}
	return "", false
}

// isHostScheme reports whether a specifier can mean nothing but a module of the host, known or not.
func isHostScheme(specifier string) bool {
	for _, scheme := range [...]string{"node:", "cloudflare:", "workerd:"} {
		if strings.HasPrefix(specifier, scheme) {
			return true
		}
	}
	return false
}

func (v *virtualModules) resolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	name, ok := v.canonical(args.Path)
	if !ok {
		if !isHostScheme(args.Path) {
			return api.OnResolveResult{}, nil
		}
		// An unknown one stays in the output: it may be in dead code, or in a branch that tries. What is still
		// imported in the end is reported by checkImports; a require() that is reached throws.
		return api.OnResolveResult{Path: args.Path, External: true}, nil
	}
	if args.Kind == api.ResolveJSRequireCall || args.Kind == api.ResolveJSRequireResolve {
		return api.OnResolveResult{Path: name, Namespace: requireNamespace}, nil
	}
	if v.format == FormatServiceWorker && args.Kind == api.ResolveJSImportStatement {
		return api.OnResolveResult{Errors: []api.Message{{
			Text: fmt.Sprintf("Unexpected import of %q in service-worker format", args.Path),
			Notes: []api.Note{{Text: "The entry has no default export, so it is taken for a service worker, which " +
				"can't import modules of the runtime. " +
				"Write export default { … } in the entry to make it a module."}},
		}}}, nil
	}
	return api.OnResolveResult{Path: name, External: true}, nil
}

// loadRequire is the CommonJS face of a host module or asset: its default export if there is one, else the namespace.
// Of WebAssembly it is the module, whose member default is itself: packages want the one or the other.
func (v *virtualModules) loadRequire(args api.OnLoadArgs) (api.OnLoadResult, error) {
	code := fmt.Sprintf(
		"import * as host from %s; module.exports = \"default\" in host ? host.default : host;", quote(args.Path))
	if strings.HasSuffix(args.Path, ".wasm") {
		code += " Object.defineProperty(module.exports, \"default\", { value: module.exports, configurable: true });"
	}
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
}

// loadAsset is an asset in service-worker format.
func (v *virtualModules) loadAsset(args api.OnLoadArgs) (api.OnLoadResult, error) {
	code := fmt.Sprintf("export default %s(%s, [\"default\"]).default;", importFunc, quote(args.Path))
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
}

// checkImports reports static imports of host modules that don't exist, or of names that they don't have. place finds
// the user's file for an offset in esbuild's output.
func (v *virtualModules) checkImports(
	imports []importUse, isAsset func(string) bool, place func(use importUse,
		text string) BuildMessage) []BuildMessage {
	var out []BuildMessage
	for _, use := range imports {
		if isAsset(use.Specifier) {
			continue
		}
		module, ok := v.byName[use.Specifier]
		if !ok {
			m := place(use, NoSuchModule(use.Specifier))
			m.Suggestion = v.advice(use.Specifier)
			out = append(out, m)
			continue
		}
		if module.Exports == nil {
			continue
		}
		for _, name := range use.Names {
			if slices.Contains(module.Exports, name) {
				continue
			}
			m := place(use, MissingExport(use.Specifier, name))
			if name == "default" {
				m.Suggestion = fmt.Sprintf("use import * as name from %q", use.Specifier)
			} else {
				m.Suggestion = "it exports " + strings.Join(module.Exports, ", ")
			}
			out = append(out, m)
		}
	}
	return out
}

// advice says what to do about an unknown host module.
func (v *virtualModules) advice(specifier string) string {
	if strings.HasPrefix(specifier, "node:") && !v.nodeCompat {
		return `add "nodejs_compat" to compatibility_flags`
	}
	scheme, _, _ := strings.Cut(specifier, ":")
	var known []string
	for name := range v.byName {
		if strings.HasPrefix(name, scheme+":") {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return ""
	}
	slices.Sort(known)
	return "there are " + strings.Join(known, ", ")
}
