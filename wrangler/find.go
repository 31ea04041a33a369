package wrangler

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// redirectFile tells where a build tool has written the configuration to use instead of the user's.
const redirectFile = ".wrangler/deploy/config.json"

// fileNames are the names that a configuration may have, in order of precedence. The search for one name goes all the
// way up before it begins with the next, as in the reference: a wrangler.json far above wins over a wrangler.toml
// right here.
var fileNames = []string{"wrangler.json", "wrangler.jsonc", "wrangler.toml"}

// ErrNotFound is what Find returns when there is no configuration in the directory or above it.
var ErrNotFound = errors.New("no wrangler.jsonc, wrangler.json or wrangler.toml")

// Location says which file to load and which one the user wrote. They differ after a redirect.
type Location struct {
	Path     string // the file to read, absolute
	UserPath string // the user's own file; "" if there is only a generated one
	Deploy   string // the redirect file; "" without a redirect
}

// Find looks for the configuration of a project as the reference does: upwards from cwd, wrangler.json before
// wrangler.jsonc before wrangler.toml, then through .wrangler/deploy/config.json if a build tool left one. Errors
// are ErrNotFound, or a Diagnostic about the redirect file.
func Find(cwd string) (Location, error) {
	cwd, err := filepath.Abs(cwd)
	if err != nil {
		return Location{}, fmt.Errorf("find configuration: %w", err)
	}
	var loc Location
	for _, name := range fileNames {
		if loc.UserPath = findUp(cwd, name); loc.UserPath != "" {
			break
		}
	}
	loc.Path = loc.UserPath
	loc.Deploy = findUp(cwd, filepath.FromSlash(redirectFile))
	if loc.Deploy != "" {
		if loc.Path, err = followRedirect(loc); err != nil {
			return loc, err
		}
	}
	if loc.Path == "" {
		return loc, fmt.Errorf("%w in %s or above it", ErrNotFound, cwd)
	}
	return loc, nil
}

// Locate resolves what -c names: a file, or a directory with a configuration in it, where a redirect counts as in Find.
// Nothing above the directory is looked at. A file is not opened, so that Load can say what is wrong with it.
func Locate(path string) (Location, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Location{}, fmt.Errorf("find configuration: %w", err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return Location{Path: path}, nil
	}
	var loc Location
	for _, name := range fileNames {
		if file := filepath.Join(path, name); loc.UserPath == "" && isFile(file) {
			loc.UserPath = file
		}
	}
	loc.Path = loc.UserPath
	if deploy := filepath.Join(path, filepath.FromSlash(redirectFile)); isFile(deploy) {
		loc.Deploy = deploy
		if loc.Path, err = followRedirect(loc); err != nil {
			return loc, err
		}
	}
	if loc.Path == "" {
		return loc, fmt.Errorf("%w in %s", ErrNotFound, path)
	}
	return loc, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// findUp returns the first existing regular file dir/name, dir/../name, ...; "" if there is none.
func findUp(dir, name string) string {
	for {
		path := filepath.Join(dir, name)
		if isFile(path) {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// followRedirect reads the redirect file and returns the path it points at.
func followRedirect(loc Location) (string, error) {
	text, err := os.ReadFile(loc.Deploy)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", loc.Deploy, err)
	}
	var rep report
	src := newSource(loc.Deploy, string(text), JSONC)
	root := decodeJSONC(src, &rep)
	if root == nil {
		return "", rep.found[0]
	}
	target := root.get("configPath")
	if target == nil || target.kind != stringNode || target.text == "" {
		return "", at(src, root.span, Error, "A deploy configuration file was found, but this is not valid - "+
			`the required "configPath" property was not found.`, `add "configPath", or delete the file`)
	}
	path := target.text
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(loc.Deploy), filepath.FromSlash(path))
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", at(src, target.span, Error,
			fmt.Sprintf("The redirected configuration path it points to, %q, does not exist.", path),
			"run the build tool again, or delete the file",
			"A deploy configuration redirects to the configuration a build tool generated.")
	}
	if loc.UserPath != "" {
		expected := filepath.Join(filepath.Dir(loc.UserPath), filepath.FromSlash(redirectFile))
		if expected != loc.Deploy {
			return "", at(src, root.span, Error,
				fmt.Sprintf("Found both a user configuration file at %q and a deploy configuration file at %q.",
					loc.UserPath, loc.Deploy),
				fmt.Sprintf("delete %q if it is left over from a previous build, or start "+
					"from the directory of the configuration you want", loc.Deploy),
				"But these do not share the same base path so it is not clear which should be used.")
		}
	}
	return path, nil
}
