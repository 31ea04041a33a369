package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lockFiles tell which package manager a project is installed with; npm if none does.
var lockFiles = [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"},
	{"bun.lockb", "bun"}}

// howToInstall says what to do about a package that is not there. Often it is named in package.json, and nobody has
// installed what that names.
func (b *Builder) howToInstall(name string) string {
	for dir := b.options.Dir; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil {
			var project struct {
				Dependencies, DevDependencies, OptionalDependencies, PeerDependencies map[string]string
			}
			_ = json.Unmarshal(text, &project) // one that is damaged names nothing
			for _, list := range []map[string]string{project.Dependencies, project.DevDependencies,
				project.OptionalDependencies, project.PeerDependencies} {
				if list[name] != "" {
					return fmt.Sprintf("%q is in %s and not installed: run %s install in %s.", name, "package.json",
						managerOf(dir), dir)
				}
			}
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return fmt.Sprintf("Install %q with your package manager, or map it to another module with alias in the "+
		"configuration.", name)
}

func managerOf(dir string) string {
	for _, f := range lockFiles {
		if _, err := os.Stat(filepath.Join(dir, f[0])); err == nil {
			return f[1]
		}
	}
	return "npm"
}

// whyUnread is why a file that a module imports could not be read, in words of a person.
func whyUnread(err error) string {
	var at *fs.PathError
	switch {
	case !errors.As(err, &at):
		return err.Error()
	case errors.Is(err, fs.ErrNotExist):
		return at.Path + " does not exist."
	}
	return at.Path + ": " + at.Err.Error()
}
