package bundle

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// listener stands for addEventListener in an entry that is looked at.
const listener = "__eddy_listener"

// Entrypoint looks at an entry file by itself, without what it imports: its format as wrangler guesses it for `wrangler
// types`, and the names that it exports, those of types and of `export *` left out. dir is the project's folder,
// tsconfig a path or "". A mistake in the user's code gives a *BuildError.
func Entrypoint(file, dir, tsconfig string) (EntryFormat, []string, error) {
	if filepath.Ext(file) == ".py" {
		return FormatModules, nil, nil
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, EntryPoints: []string{file}, Outfile: filepath.Join(dir, ScriptName), Tsconfig: tsconfig,
		Target: api.ES2024, Loader: loaders(), LogLevel: api.LogLevelSilent, Metafile: true,
		Define: map[string]string{"addEventListener": listener, "globalThis.addEventListener": listener,
			"self.addEventListener": listener},
	})
	if len(result.Errors) > 0 {
		return "", nil, &BuildError{Messages: messages(dir, result.Errors)}
	}
	var meta struct {
		Outputs map[string]struct{ Exports []string }
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return "", nil, err
	}
	var exports []string
	for _, output := range meta.Outputs {
		exports = append(exports, output.Exports...)
	}
	listens := false
	for _, output := range result.OutputFiles {
		listens = listens || strings.Contains(string(output.Contents), listener)
	}
	format := FormatModules
	for _, name := range exports {
		if name == "default" {
			return format, exports, nil
		}
	}
	if len(exports) == 0 || listens {
		format = FormatServiceWorker
	}
	return format, exports, nil
}
