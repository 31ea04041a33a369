package explorer

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"

	"eddy/runtime/bindings/analytics"
	"eddy/runtime/bindings/analytics/dialect"
	"eddy/runtime/control"
)

// AnalyticsPage is the model of the datasets of Analytics Engine, with a query in the dialect of the SQL API.
type AnalyticsPage struct {
	Datasets []string      `json:"datasets"`
	SQL      string        `json:"sql,omitempty"`
	Rows     *control.Rows `json:"rows,omitempty"`
	Failed   string        `json:"failed,omitempty"`
}

func (x *Server) analyticsPages() []page {
	return []page{of("analytics", "analytics", "The datasets of Analytics Engine, and a query.", x.analytics,
		field{"sql", "a query in the dialect of the SQL API"})}
}

func (x *Server) analytics(r *http.Request) (*AnalyticsPage, error) {
	p := &AnalyticsPage{SQL: r.URL.Query().Get("sql"), Datasets: []string{}}
	for _, w := range x.o.Workers() {
		for _, d := range w.Config.AnalyticsEngine {
			if !slices.Contains(p.Datasets, d.Dataset) {
				p.Datasets = append(p.Datasets, d.Dataset)
			}
		}
	}
	path := x.o.State.Analytics()
	if _, err := os.Stat(path); os.IsNotExist(err) || strings.TrimSpace(p.SQL) == "" {
		return p, nil // nothing was written, or nothing is asked
	}
	s := analytics.New(analytics.Options{Path: path, Clock: x.o.Clock})
	answer, err := s.Query(r.Context(), p.SQL)
	var mistake *dialect.Mistake
	switch err = errors.Join(err, s.Close()); {
	case errors.As(err, &mistake):
		p.Failed = mistake.Error()
		return p, nil
	case err != nil:
		return nil, err
	}
	p.Rows = &control.Rows{Columns: answer.Columns()}
	for i, row := range answer.Texts() {
		if p.Rows.Truncated = i == pageOfRows; p.Rows.Truncated {
			break
		}
		var cells []any
		for _, text := range row {
			cells = append(cells, text)
		}
		p.Rows.Rows = append(p.Rows.Rows, cells)
	}
	return p, nil
}
