package session

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
	"eddy/wrangler"
)

// checkExports compares what the configuration binds with what the script exports (CL7).
func (s *Session) checkExports(svc *service, cfg *wrangler.Config, w *worker.Worker) error {
	var missing []string
	exported := map[string]bool{}
	for _, n := range w.ExportNames() {
		exported[n] = true
	}
	seen := map[string]bool{}
	for _, d := range cfg.DurableObjects {
		if d.ScriptName != "" && d.ScriptName != cfg.Name || exported[d.ClassName] || seen[d.ClassName] {
			continue
		}
		seen[d.ClassName] = true
		missing = append(missing, d.ClassName)
	}
	if len(missing) == 0 {
		if svc.script != nil {
			return nil // the entry may not have run
		}
		return checkClasses(seen, cfg, w)
	}
	sort.Strings(missing)
	// the reference's text
	return fmt.Errorf("Your Worker depends on the following Durable Objects, which are not exported in your "+
		"entrypoint file: %s.\nYou should export these objects from your entrypoint, %s.",
		strings.Join(missing, ", "), cfg.Main)
}

// checkClasses refuses exports that cannot be classes of Durable Objects, as the reference does by extending them
// (CL7).
func checkClasses(seen map[string]bool, cfg *wrangler.Config, w *worker.Worker) error {
	var errs []error
	err := w.Loop.Do(context.Background(), func() {
		for _, d := range cfg.DurableObjects {
			if d.ScriptName != "" && d.ScriptName != cfg.Name || seen[d.ClassName] {
				continue
			}
			seen[d.ClassName] = true
			v := w.Export(d.ClassName)
			if _, ok := goja.AssertConstructor(v); ok {
				continue
			}
			text := v.String()
			if obj, ok := v.(*goja.Object); ok && obj.ClassName() != "Function" {
				text = "#<" + obj.ClassName() + ">"
			}
			// the reference's text
			errs = append(errs, fmt.Errorf("Uncaught TypeError: Class extends value %s is not a constructor or "+
				"null\n%s exports it as the Durable Object class %s.", text, cfg.Main, d.ClassName))
		}
	})
	return errors.Join(append(errs, err)...)
}
