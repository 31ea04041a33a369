package explorer

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"eddy/runtime/control"
)

// TimePage is the model of the clock and of what is due.
type TimePage struct {
	Clock control.Clock       `json:"clock"`
	Due   []DueRow            `json:"due"`
	Crons []control.CronEntry `json:"crons"`
}

// DueRow is something that is due. URL is the page of what it concerns, Title says what that is.
type DueRow struct {
	control.Due
	Title string `json:"title"`
	URL   string `json:"url"`
}

// dueRow says where a thing that is due can be seen.
func dueRow(d control.Due) DueRow {
	row := DueRow{Due: d, Title: d.Queue, URL: Base + "messages/" + d.Message}
	switch d.Kind {
	case "lane":
		row.Title, row.URL = d.Queue+" "+d.Lane, lanePath(d.Queue, d.Lane)
	case "alarm":
		row.Title, row.URL = d.Namespace+" "+cmp.Or(d.Name, d.ID), objectPath(control.Object{Namespace: d.Namespace,
			ID: d.ID})
	case "cron":
		row.Title, row.URL = d.Worker+" "+d.Cron, Base+"time"
	case "workflow":
		row.Title, row.URL = d.Workflow+" "+d.ID, instancePath(d.Workflow, d.ID)
	case "retention":
		row.URL = Base + "queues/" + url.PathEscape(d.Queue)
	}
	return row
}

// mostDue is how many of what is due are shown.
const mostDue = 200

func (x *Server) timePages() []page {
	return []page{of("time", "time", "The clock, what is due, and the crons.", x.time)}
}

func (x *Server) time(r *http.Request) (*TimePage, error) {
	p := &TimePage{}
	var err error
	if p.Clock, err = x.o.Client.Clock(r.Context()); err != nil {
		return nil, err
	}
	if p.Due, err = x.due(r, mostDue); err != nil {
		return nil, err
	}
	p.Crons, err = x.o.Client.Crons(r.Context())
	return p, err
}

// due lists what falls due next.
func (x *Server) due(r *http.Request, limit int) ([]DueRow, error) {
	list, err := x.o.Client.Due(r.Context(), limit)
	rows := make([]DueRow, 0, len(list))
	for _, d := range list {
		rows = append(rows, dueRow(d))
	}
	return rows, err
}

func (x *Server) timeActs() []act {
	said := func(c control.Clock, err error) (string, string, error) {
		return "it is " + stamp(c.Now) + " now", "", err
	}
	return []act{
		{path: "time/advance", about: "Moves virtual time on.", fields: []field{{"by", "as in 90s, 2h"}},
			do: func(in input) (string, string, error) {
				d, err := time.ParseDuration(in.get("by"))
				if err != nil {
					return "", "", refused("%q is no duration: expected one as in 90s, 15m, 2h", in.get("by"))
				}
				return said(x.o.Client.Advance(in.ctx, d))
			}},
		{path: "time/next", about: "Moves virtual time to the next event that is due.",
			do: func(in input) (string, string, error) { return said(x.o.Client.NextEvent(in.ctx)) }},
		{path: "time/idle", about: "Moves virtual time on until nothing is due within a day.",
			do: func(in input) (string, string, error) { return said(x.o.Client.UntilIdle(in.ctx)) }},
		{path: "crons/run", about: "Runs a cron now.", fields: []field{{"worker", "its name"}, {"cron",
			"the expression"}},
			do: func(in input) (string, string, error) {
				if err := x.o.Client.RunCron(in.ctx, in.get("worker"), in.get("cron")); err != nil {
					return "", "", err
				}
				return "ran " + in.get("cron") + " of " + in.get("worker"), "", nil
			}},
	}
}
