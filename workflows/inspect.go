package workflows

// Info is what status() shows of an instance, and what the CLI and the REST API show beyond that.
type Info struct {
	ID                                string
	Status                            Status
	Trigger                           Trigger
	Created, Modified, Started, Ended int64  // in ms, 0 while it has not happened
	Params, Output                    string // JSON; Output is "" for undefined
	Failure                           *Failure
	// Results are the results of do steps and the payloads of events, as JSON, in the order in which they were stored.
	Results []string
	// History is the instance's history, if the caller asked for it.
	History []InstanceEvent
}

// Status describes an instance. The error is ErrNotFound if there is none.
func (w *Workflow) Status(id string, history bool, done func(*Info, error)) {
	command(w, func(t *turn) (*Info, error) {
		in := t.find(id)
		if in == nil {
			return nil, ErrNotFound
		}
		info := in.info()
		t.query("SELECT shown FROM steps WHERE instance=? AND kind IN (?, ?) AND state=? ORDER BY finished, ord",
			func(r row) {
				info.Results = append(info.Results, r.Text(0))
			}, in.seq, int64(Do), int64(Wait), int64(succeeded))
		if history {
			t.history(in, 0, -1, func(e InstanceEvent) { info.History = append(info.History, e) })
		}
		return info, nil
	}, done)
}

func (in *instance) info() *Info {
	return &Info{ID: in.id, Status: in.status, Trigger: in.trigger, Created: in.created, Modified: in.modified,
		Started: in.started, Ended: in.ended, Params: in.shown, Output: in.output, Failure: in.failure}
}

// Filter selects the instances that [Workflow.List] returns.
type Filter struct {
	// Status, if set, selects the instances that have this status.
	Status *Status
	// Oldest asks for the oldest instances first.
	Oldest        bool
	Offset, Limit int
	// From and Until, if not 0, bound the time at which an instance was created, in ms.
	From, Until int64
}

// Page is one page of a list of instances.
type Page struct {
	List []*Info
	// Total counts the instances that the filter selects, ByStatus all instances.
	Total    int
	ByStatus map[Status]int
}

// List returns one page of the instances, the newest first.
func (w *Workflow) List(f Filter, done func(Page, error)) {
	command(w, func(t *turn) (Page, error) {
		p := Page{ByStatus: map[Status]int{}}
		t.query("SELECT status, count(*) FROM instances GROUP BY status", func(r row) {
			p.ByStatus[Status(r.Int(0))] = int(r.Int(1))
		})
		order, where, args := "DESC", "WHERE 1 ", []any{}
		if f.Oldest {
			order = "ASC"
		}
		only := func(what string, arg int64) {
			where, args = where+"AND "+what+" ", append(args, arg)
		}
		if f.Status != nil {
			only("status=?", int64(*f.Status))
		}
		if f.From != 0 {
			only("created>=?", f.From)
		}
		if f.Until != 0 {
			only("created<=?", f.Until)
		}
		if f.From != 0 || f.Until != 0 {
			t.query("SELECT count(*) FROM instances "+where, func(r row) { p.Total = int(r.Int(0)) }, args...)
		} else {
			for s, n := range p.ByStatus {
				if f.Status == nil || *f.Status == s {
					p.Total += n
				}
			}
		}
		t.query("SELECT "+instanceColumns+" FROM instances "+where+"ORDER BY seq "+order+" LIMIT ? OFFSET ?",
			func(r row) { p.List = append(p.List, readInstance(r).info()) }, append(args, f.Limit, f.Offset)...)
		return p, nil
	}, done)
}
