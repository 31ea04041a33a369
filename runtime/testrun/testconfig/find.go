package testconfig

import (
	"bytes"
	"os"
	"path/filepath"
)

// extensions of configuration files, in the order in which they are looked for (TEST-57).
var extensions = []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"}

// Find is the configuration file of a directory, "" if it has none.
func Find(dir string) string { return firstOf(dir, "vitest.config", "vite.config") }

// findWorkspace is the file that lists projects beside the configuration, as vitest 3 has it; "" if there is none.
func findWorkspace(dir string) string {
	if file := firstOf(dir, "vitest.workspace", "vitest.projects"); file != "" {
		return file
	}
	for _, name := range []string{"vitest.workspace.json", "vitest.projects.json"} {
		if file := filepath.Join(dir, name); isFile(file) {
			return file
		}
	}
	return ""
}

func firstOf(dir string, names ...string) string {
	for _, name := range names {
		for _, ext := range extensions {
			if file := filepath.Join(dir, name+ext); isFile(file) {
				return file
			}
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// HasWorkspace tells whether a directory has a file that lists projects.
func HasWorkspace(dir string) bool { return findWorkspace(dir) != "" }

// newConfigOf is the file cloudflare.config beside a configuration that asks for it (experimental.newConfig), nothing
// if there is none.
func newConfigOf(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("newConfig")) {
		return nil
	}
	if beside := firstOf(filepath.Dir(file), "cloudflare.config"); beside != "" {
		return []string{beside}
	}
	return nil
}
