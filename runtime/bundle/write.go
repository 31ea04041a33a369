package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Write bundles the entry into a directory: the script, called like the entry with .js, as a module that any platform
// for Workers can load, and the assets that it imports beside it. It gives the script's path.
func Write(o Options, dir string) (string, error) {
	b, err := New(o)
	if err != nil {
		return "", err
	}
	defer b.Close()
	b.seen.files = map[string]bool{b.options.Entry: true}
	format, err := b.guessFormat()
	if err != nil {
		return "", err
	}
	b.assets.options.Format, b.more.options.Format, b.virtual.format = format, format, format
	if err := b.more.search(); err != nil {
		return "", err
	}
	b.assets.reset()
	options := b.esbuild(format)
	options.Sourcemap = api.SourceMapNone
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return "", &BuildError{Messages: b.explain(messages(b.options.Dir, result.Errors))}
	}
	if len(result.OutputFiles) != 1 {
		return "", errors.New("bundle: esbuild gave no script")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	name := strings.TrimSuffix(filepath.Base(b.options.Entry), filepath.Ext(b.options.Entry)) + ".js"
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, result.OutputFiles[0].Contents, 0o666); err != nil {
		return "", err
	}
	for _, a := range b.assets.list() {
		file := filepath.Join(dir, filepath.FromSlash(a.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(file, a.Bytes, 0o666); err != nil {
			return "", err
		}
	}
	return path, nil
}
