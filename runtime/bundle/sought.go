package bundle

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// sought are the imports of the user's files: where each is written, and what it says. What they find may change by a
// file that comes before the one that they have found, and by a link on the way.
type sought map[soughtImport]bool

type soughtImport struct{ dir, specifier string }

// seeking collects them in a build. esbuild calls note from several goroutines.
type seeking struct {
	sync.Mutex
	imports sought
}

func (s *seeking) reset() {
	s.Lock()
	defer s.Unlock()
	s.imports = sought{}
}

func (s *seeking) note(args api.OnResolveArgs) {
	if args.Kind == api.ResolveEntryPoint || args.ResolveDir == "" || inPackages(args.ResolveDir+"/") {
		return
	}
	s.Lock()
	defer s.Unlock()
	if s.imports == nil {
		s.imports = sought{}
	}
	s.imports[soughtImport{args.ResolveDir, args.Path}] = true
}

// taken are those of the last build.
func (s *seeking) taken() sought {
	s.Lock()
	defer s.Unlock()
	return s.imports
}

// paths are the files that the imports ask for, without extension or as folders, whether there is one or not.
func (s sought) paths(configs *tsconfigs) map[string]bool {
	out := map[string]bool{}
	for each := range s {
		specifier, _, _ := strings.Cut(filepath.FromSlash(each.specifier), "?")
		switch {
		case relative(each.specifier):
			out[filepath.Join(each.dir, specifier)] = true
		case filepath.IsAbs(specifier):
			out[filepath.Clean(specifier)] = true
		default:
			for _, path := range configs.mapped(each.specifier) {
				out[path] = true
			}
		}
	}
	return out
}
