package bundle

import (
	"errors"
	"testing"
)

// TestCancel: a build that is canceled before it begins, while it goes on, or at its very end gives nothing, and so
// does each later one.
func TestCancel(t *testing.T) {
	files := map[string]string{
		"node_modules/p/index.js": `export const p = /(?<=p)p/`,
		"index.js": `import { p } from "p"; ` +
			`export default { fetch: () => new Response(/(?<=u)u/.source + p) }`,
	}
	for name, at := range map[string]string{"before": "", "packages": "(?<=p)p", "user": "(?<=u)u"} {
		for _, apart := range []bool{false, true} {
			var b *Builder
			o := Options{Dir: project(t, files), Entry: "index.js", Apart: apart}
			o.CheckRegExp = func(source, flags string) error {
				if source == at {
					b.Cancel()
				}
				return nil
			}
			b, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if at == "" {
				b.Cancel()
			}
			for range 2 {
				if out, err := b.Build(); out != nil || !errors.Is(err, ErrCanceled) {
					t.Errorf("%s, apart %v: %v, %v", name, apart, out, err)
				}
			}
			b.Close()
		}
	}
}
