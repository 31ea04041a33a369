package session

import (
	"context"
	"errors"
	"io"
	"testing"

	"eddy/runtime/clock"
	"eddy/runtime/report"
	"eddy/runtime/worker"
)

// What a script exports may compute when it is read: getters, traps of proxies, toString. That ends the start, as a top
// level does that computes for too long.
func TestExportsThatComputeEndTheStart(t *testing.T) {
	for name, source := range map[string]string{
		"getter": `export default { fetch() {}, get queue() { for (;;); } }; export class O {}`,
		"proxy":  `export default new Proxy({}, { get() { for (;;); } }); export class O {}`,
		"text":   `export default { fetch() {} }; export const O = { toString() { for (;;); } };`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, `-- wrangler.jsonc --
{
  "name": "w", "main": "index.js", "compatibility_date": "2026-04-01", "limits": { "cpu_ms": 1 },
  "durable_objects": { "bindings": [{ "name": "O", "class_name": "O" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["O"] }]
}
-- index.js --
`+source)
			s, err := Start(context.Background(), Options{Dir: p.dir, Ephemeral: true, Clock: clock.Real{},
				Report: report.New(report.Options{Out: io.Discard})})
			if !errors.Is(err, worker.ErrStartupLimit) {
				t.Errorf("the start ends with %v", err)
			}
			if s != nil {
				t.Error(s.Stop())
			}
		})
	}
}
