package session

import (
	"net/http"

	"eddy/workflows/workflowapi"
)

// entries are the workflows whose classes the session's Workers have, in the order of the configurations.
func (s *Session) entries() (list []workflowapi.Listed) {
	for _, svc := range s.services {
		g := svc.live()
		if g == nil {
			continue
		}
		for _, b := range g.config.Workflows {
			if w := s.flows.find(b.Name); w != nil && defines(g.config, b) {
				list = append(list, workflowapi.Listed{Name: b.Name, Script: svc.name, Class: b.ClassName, Workflow: w})
			}
		}
	}
	return list
}

// Workflows is the API of the session's workflows.
func (s *Session) Workflows() http.Handler { return workflowapi.New(s.entries) }
