package runtime

import (
	"strings"
	"testing"
)

// A class with a container has ctx.container, whose use says that nothing runs it; its objects do their other work, and
// those of other classes have none (BIND-150).
func TestContainer(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "c", "main": "index.js", "compatibility_date": "2026-04-01",
	"containers": [{ "class_name": "Box", "image": "./Dockerfile" }],
	"durable_objects": { "bindings": [{ "name": "BOX", "class_name": "Box" }, { "name": "BARE",
		"class_name": "Bare" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Box", "Bare"] }]}`,
		"index.js", script("container", "index.js"))
	const refused = ",Error: The container of the class Box cannot be used"
	s := p.serve()
	s.expect("/", "undefined Container,false"+strings.Repeat(refused, 4))
}
