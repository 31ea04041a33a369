package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// entries are the usual names of a Worker's entry file.
var entries = []string{"src/index.ts", "src/index.js", "src/worker.ts", "src/worker.js", "index.ts", "index.js",
	"worker.ts", "worker.js"}

// firstConfiguration tells the user what to do in a directory without a configuration, with a configuration to paste.
func firstConfiguration(dir string) string {
	has := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	main := ""
	for _, name := range entries {
		if main == "" && has(name) {
			main = name
		}
	}
	name := filepath.Base(dir)
	what := fmt.Sprintf(`"main": %q,`, "src/index.js")
	out := "write this to wrangler.jsonc:"
	switch {
	case main != "":
		what = fmt.Sprintf(`"main": %q,`, main)
		out = fmt.Sprintf("serve the script alone: eddy dev %s\nor write this to wrangler.jsonc:", main)
	case has("index.html"):
		what = `"assets": { "directory": "." },`
		out = "serve the files alone: eddy dev --assets .\nor write this to wrangler.jsonc:"
	case has("public/index.html"):
		what = `"assets": { "directory": "public" },`
		out = "serve the files alone: eddy dev --assets public\nor write this to wrangler.jsonc:"
	}
	out += fmt.Sprintf("\n\t{ \"name\": %q, %s \"compatibility_date\": %q }", name, what,
		time.Now().UTC().Format(time.DateOnly))
	if main == "" && what == `"main": "src/index.js",` {
		out += "\nand this to src/index.js:\n\texport default { fetch() { return new Response(\"Hello\\n\"); } };"
	}
	if main == "" {
		out += "\nor make a project with a queue, a Durable Object and tests: eddy init DIR"
	}
	return out + "\nor name the configuration: eddy dev -c path/to/wrangler.jsonc"
}
