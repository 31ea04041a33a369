package bundle

import (
	"maps"

	"github.com/evanw/esbuild/pkg/api"
)

// lowering is esbuild's table of syntax to rewrite, laid over target ESNext. Each entry that is false stands for
// something that goja's parser or compiler refuses and that esbuild can express otherwise; TestLowering runs one
// snippet for each.
//
// What is absent is native in goja and stays as written: private fields, methods and brand checks (lowering them to
// WeakMaps would slow down every access), static blocks, public fields, async functions, generators, bigint, optional
// chaining, nullish and logical assignment, object spread, numeric separators, template caching.
//
// Regular expressions are left alone here although goja lacks flags and escapes: the rewriter handles all of them
// alike. dynamic-import stays true, because esbuild's replacement loses import() of a computed name.
var lowering = map[string]bool{
	"async-generator": false, // "Async generators are not supported yet"
	"for-await":       false, // parse error
	"using":           false, // parse error, also await using
	"decorators":      false, // parse error; accessor fields go with it

	"import-meta":       true,
	"import-source":     true,
	"import-attributes": true,
	"dynamic-import":    true,
	"top-level-await":   true,

	"arbitrary-module-namespace-names": true,
	"inline-script":                    false, // no "</script" escapes
}

// Lowering is a copy of the table, for those who lower a script that is no Worker's.
func Lowering() map[string]bool { return maps.Clone(lowering) }

// loaders are wrangler's: JSX is allowed in all JavaScript files.
func loaders() map[string]api.Loader {
	return map[string]api.Loader{
		".js":  api.LoaderJSX,
		".mjs": api.LoaderJSX,
		".cjs": api.LoaderJSX,
	}
}
