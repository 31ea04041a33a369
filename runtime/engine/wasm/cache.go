package wasm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"

	"eddy/runtime/cachedir"
	"eddy/runtime/engine/native"
)

// cacheLimit is how many bytes of machine code are kept on disk. What is above it goes when a process first compiles,
// the oldest first.
const cacheLimit = 256 << 20

// cacheFolder is where the process keeps machine code; "" where it does not.
var cacheFolder atomic.Pointer[string]

// CacheIn makes the process keep machine code in a folder, for itself and for later ones: compiling takes seconds where
// a program is large, and reading it again milliseconds. The folder is made when something is compiled, for its owner
// alone. A folder that others may write, or that cannot be made, is not used, since what lies in it is run. It must be
// called before the first module is compiled; later calls change nothing.
func CacheIn(folder string) {
	cacheFolder.Store(&folder)
	native.CacheFrom(func() wazero.CompilationCache { return openCache().cache })
}

// codeCache is the folder that the engine uses.
type codeCache struct {
	dir   string // "" without one
	cache wazero.CompilationCache
}

// openCache opens the folder of CacheIn, or gives a cache that keeps nothing.
func openCache() codeCache {
	p := cacheFolder.Load()
	if p == nil || *p == "" {
		return codeCache{}
	}
	dir := *p
	if !cachedir.Open(dir) {
		return codeCache{}
	}
	cachedir.Prune(dir, cacheLimit, time.Now())
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return codeCache{}
	}
	return codeCache{dir, cache}
}

// compile compiles, from the folder or into it. If that fails for the folder's sake (a damaged file, a full disk),
// the folder is emptied and code is compiled without it: wazero keeps in memory what it could not write.
func (c codeCache) compile(ctx context.Context, rt wazero.Runtime, code []byte) (wazero.CompiledModule, error) {
	m, err := rt.CompileModule(ctx, code)
	if err == nil || c.dir == "" || !cacheFault(err) {
		return m, err
	}
	cachedir.Prune(c.dir, -1, time.Now()) // empty files too
	return rt.CompileModule(ctx, code)
}

// cacheFault tells an error of the folder from one of the code: wazero's begin with that word, the system's are paths'.
func cacheFault(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	return strings.HasPrefix(err.Error(), "compilationcache: ") || errors.As(err, &path) || errors.As(err, &link)
}
