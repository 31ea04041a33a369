package wrangler

import (
	"fmt"
	"slices"
)

// readWorkflowExports reads the workflows that the exports section declares (FLOW-174). One that is bound as well is
// one
// workflow, with the settings of either place.
func (s *scope) readWorkflowExports(cfg *Config) {
	e, ok := s.lookup("exports")
	if !ok || !slices.ContainsFunc(cfg.Exports, func(x Export) bool { return x.Type == "workflow" }) {
		return
	}
	section, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	declared := map[string]string{} // class by name
	for _, x := range cfg.Exports {
		if x.Type != "workflow" {
			continue
		}
		o, ok := section.child(x.Name, fieldPhrase)
		if !ok {
			continue
		}
		o.accept("type", "concurrency", "jurisdiction")
		b := Workflow{Name: o.require("name", "my-workflow"), ClassName: x.Name, Exported: true, Pos: x.Pos}
		s.readWorkflowSettings(o, &b, cfg)
		o.finish()
		if b.Name == "" {
			continue
		}
		if !workflowName().MatchString(b.Name) {
			o.errorAt(o.spanOf("name"), fmt.Sprintf(`"%s.name" is invalid. %s`, o.path, workflowNameForm),
				"write a name such as "+o.assign("name", `"my-workflow"`))
		}
		if other, twice := declared[b.Name]; twice {
			o.errorAt(o.spanOf("name"), fmt.Sprintf(`"exports.%s" and "exports.%s" both declare the Workflow %q. `+
				`Workflow names must be unique.`, other, x.Name, b.Name), "change one of the two names")
			continue
		}
		declared[b.Name] = x.Name
		cfg.declareWorkflow(b)
	}
}

// declareWorkflow adds a workflow of the exports section to those that are bound.
func (c *Config) declareWorkflow(b Workflow) {
	at := slices.IndexFunc(c.Workflows, func(w Workflow) bool { return w.Name == b.Name && w.ClassName == b.ClassName })
	if at < 0 {
		c.Workflows = append(c.Workflows, b)
		return
	}
	w := &c.Workflows[at]
	w.Exported = true
	if b.Steps != 0 {
		w.Steps = b.Steps
	}
	if b.Concurrency != 0 {
		w.Concurrency = b.Concurrency
	}
	if len(b.Schedules) > 0 {
		w.Schedules = b.Schedules
	}
	if b.SuccessRetention != 0 || b.ErrorRetention != 0 {
		w.SuccessRetention, w.ErrorRetention = b.SuccessRetention, b.ErrorRetention
	}
}
