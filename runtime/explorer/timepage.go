package explorer

import (
	"net/http"
	"time"

	"eddy/runtime/control"
)

// TimePage is the model of the clock and of what is due.
type TimePage struct {
	Clock  control.Clock   `json:"clock"`
	Alarms []control.Alarm `json:"alarms"`
	Crons  []CronRow       `json:"crons"`
}

// CronRow is a cron of a Worker.
type CronRow struct {
	Worker string `json:"worker"`
	Cron   string `json:"cron"`
}

// mostDue is how many of what is due are shown.
const mostDue = 200

func (x *Pages) timePages() []page {
	return []page{of("time", "time", "The clock, what is due, and the crons.", x.time)}
}

func (x *Pages) time(r *http.Request) (*TimePage, error) {
	p := &TimePage{Crons: []CronRow{}}
	var err error
	if p.Clock, err = x.o.Client.Clock(r.Context()); err != nil {
		return nil, err
	}
	if p.Alarms, err = x.o.Client.Alarms(r.Context(), ""); err != nil {
		return nil, err
	}
	p.Alarms = p.Alarms[:min(len(p.Alarms), mostDue)]
	for _, w := range x.o.Workers() {
		for _, c := range w.Config.Triggers.Crons {
			p.Crons = append(p.Crons, CronRow{w.Name, c.Expr})
		}
	}
	return p, nil
}

func (x *Pages) timeActs() []act {
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
				err := x.o.RunCron(in.ctx, in.get("worker"), in.get("cron"))
				if err != nil {
					return "", "", refused("%s of %s failed: %v", in.get("cron"), in.get("worker"), err)
				}
				return "ran " + in.get("cron") + " of " + in.get("worker"), "", nil
			}},
	}
}
