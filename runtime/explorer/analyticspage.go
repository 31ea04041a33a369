package explorer

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"eddy/runtime/control"
)

// AnalyticsPage is the model of the datasets of Analytics Engine, with a query in the dialect of the SQL API. In a
// cluster each node answers for the data points that were written there, and the first column is its name.
type AnalyticsPage struct {
	Datasets []string      `json:"datasets"`
	SQL      string        `json:"sql,omitempty"`
	Rows     *control.Rows `json:"rows,omitempty"`
	Failed   string        `json:"failed,omitempty"`
	// Missing says which nodes of a cluster do not tell what they have.
	Missing []string `json:"missing,omitempty"`
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
	if strings.TrimSpace(p.SQL) == "" {
		return p, nil
	}
	if x.o.Cluster == nil {
		got, err := x.own().points(r.Context(), p.SQL)
		p.Rows, p.Failed = got.Rows, got.Failed
		return p, err
	}
	// Each node answers by itself: its rows cannot be added up with those of others.
	answers := map[string]Points{}
	var err error
	p.Missing, err = askNodes(r.Context(), x.o.Cluster, "", url.Values{"what": {"points"}, "sql": {p.SQL}},
		func(node string, got Points) { answers[node] = got })
	for _, node := range slices.Sorted(maps.Keys(answers)) {
		got := answers[node]
		p.Failed = cmp.Or(p.Failed, got.Failed)
		if got.Rows == nil {
			continue
		}
		if p.Rows == nil {
			p.Rows = &control.Rows{Columns: append([]string{"node"}, got.Rows.Columns...)}
		}
		for _, row := range got.Rows.Rows {
			p.Rows.Rows = append(p.Rows.Rows, append([]any{node}, row...))
		}
		p.Rows.Truncated = p.Rows.Truncated || got.Rows.Truncated
	}
	return p, err
}
