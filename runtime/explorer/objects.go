package explorer

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eddy/runtime/control"
)

// ObjectList is the model of the list of Durable Objects.
type ObjectList struct {
	Query string `json:"query"`
	State string `json:"state"`
	// Node is where the objects shall be, Nodes are those of a cluster that have some.
	Node  string   `json:"node,omitempty"`
	Nodes []string `json:"nodes,omitempty"`
	// Namespaces counts all objects by namespace.
	Namespaces []NamespaceRow   `json:"namespaces"`
	Matches    int              `json:"matches"`
	Objects    []control.Object `json:"objects"`
	Limit      int              `json:"limit"`
}

// NamespaceRow is a namespace in the list.
type NamespaceRow struct {
	Key     string `json:"key"`
	Objects int    `json:"objects"`
	Bytes   int64  `json:"bytes"`
}

// ObjectPage is the model of one object.
type ObjectPage struct {
	control.ObjectDetail
	// Prefix and SQL are what was asked for.
	Prefix string                `json:"prefix,omitempty"`
	SQL    string                `json:"sql,omitempty"`
	Values []control.StoredValue `json:"values"`
	// Rows is the answer to SQL, Failed why there is none.
	Rows   *control.Rows `json:"rows,omitempty"`
	Failed string        `json:"failed,omitempty"`
	// Bookmarks are states to which it can go back, newest first; NoPast says why there are none.
	Bookmarks []control.Bookmark `json:"bookmarks"`
	NoPast    string             `json:"no_past,omitempty"`
	// Events are its latest, newest first.
	Events []EventRow `json:"events"`
}

const (
	pageOfObjects = 200
	pageOfKeys    = 200
	pageOfRows    = 200

	pageOfBookmarks = 20
)

// States are those that the filter knows besides any.
func (l *ObjectList) States() []string {
	return []string{"cold", "starting", "running", "idle", "hibernating", "broken", "alarm"}
}

func (x *Server) objectPages() []page {
	return []page{
		of("objects", "objects", "Durable Objects with name, state, sockets, bytes and alarm.", x.objects,
			field{"q", "a namespace, or what a name or an id contains"}, field{"state", "of its life, or alarm"},
			field{"node", "of a cluster"}, field{"limit", "how many are shown"}),
		of("objects/{namespace}/{id}", "object", "One object: keys, tables, SQL, its latest events.", x.object,
			field{"prefix", "of the keys"}, field{"sql", "a query, which may only read"}),
	}
}

func (x *Server) objects(r *http.Request) (*ObjectList, error) {
	v := r.URL.Query()
	l := &ObjectList{Query: v.Get("q"), State: v.Get("state"), Node: v.Get("node"), Namespaces: []NamespaceRow{},
		Objects: []control.Object{},
		Limit:   pageOfObjects}
	if n, err := strconv.Atoi(v.Get("limit")); err == nil && n > 0 {
		l.Limit = n
	}
	all, err := x.o.Client.Objects(r.Context(), "")
	if err != nil {
		return nil, err
	}
	want := strings.ToLower(l.Query)
	for _, o := range all {
		if n := len(l.Namespaces); n == 0 || l.Namespaces[n-1].Key != o.Namespace {
			l.Namespaces = append(l.Namespaces, NamespaceRow{Key: o.Namespace})
		}
		last := &l.Namespaces[len(l.Namespaces)-1]
		last.Objects++
		last.Bytes += o.Bytes
		if o.Node != "" && !slices.Contains(l.Nodes, o.Node) {
			l.Nodes = append(l.Nodes, o.Node)
		}
		if l.Node != "" && o.Node != l.Node {
			continue
		}
		if want != "" && !strings.Contains(strings.ToLower(o.Namespace), want) &&
			!strings.Contains(strings.ToLower(o.Name), want) && !strings.HasPrefix(o.ID, want) {
			continue
		}
		if l.State == "alarm" && o.Alarm == nil || l.State != "" && l.State != "alarm" && o.State != l.State {
			continue
		}
		if l.Matches++; len(l.Objects) < l.Limit {
			l.Objects = append(l.Objects, o)
		}
	}
	slices.Sort(l.Nodes)
	return l, nil
}

func (x *Server) object(r *http.Request) (*ObjectPage, error) {
	ctx, v, ns, id := r.Context(), r.URL.Query(), r.PathValue("namespace"), r.PathValue("id")
	p := &ObjectPage{Prefix: v.Get("prefix"), SQL: v.Get("sql"), Events: []EventRow{}}
	var err error
	if p.ObjectDetail, err = x.o.Client.Object(ctx, ns, id); err != nil {
		return nil, err
	}
	if p.Values, err = x.o.Client.Storage(ctx, ns, id, p.Prefix, pageOfKeys); err != nil {
		return nil, err
	}
	if p.SQL != "" {
		rows, err := x.o.Client.SQL(ctx, ns, id, control.SQL{SQL: p.SQL, Limit: pageOfRows})
		if err != nil {
			p.Failed = err.Error()
		} else {
			p.Rows = &rows
		}
	}
	if p.Bookmarks, err = x.o.Client.Bookmarks(ctx, ns, id, pageOfBookmarks); err != nil {
		p.NoPast = err.Error() // an object without a history, or one that another session runs
	}
	latest, err := x.window.latest(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(latest) {
		if e.Object != nil && e.Object.ID == p.ID && e.Object.Namespace == p.Namespace && len(p.Events) < 30 {
			p.Events = append(p.Events, eventRow(e))
		}
	}
	return p, nil
}

// Path is the page of the object.
func objectPath(o control.Object) string {
	return Base + "objects/" + url.PathEscape(o.Namespace) + "/" + o.ID
}

func (x *Server) objectActs() []act {
	return []act{
		{path: "objects/{namespace}/{id}/evict", about: "Takes the object out of memory.",
			fields: []field{{"force", "even at work"}}, do: func(in input) (string, string, error) {
				e, err := x.o.Client.Evict(in.ctx, in.path("namespace"), in.path("id"), in.has("force"))
				if err == nil && !e.Evicted {
					return "it was not in memory", "", nil
				}
				return "taken out of memory", "", err
			}},
		{path: "objects/{namespace}/{id}/alarm/fire", about: "Runs the object's alarm now.",
			do: func(in input) (string, string, error) {
				_, err := x.o.Client.FireAlarm(in.ctx, in.path("namespace"), in.path("id"))
				return "the alarm rings", "", err
			}},
		{path: "objects/{namespace}/{id}/alarm/drop", about: "Deletes the object's alarm.",
			do: func(in input) (string, string, error) {
				_, err := x.o.Client.DropAlarm(in.ctx, in.path("namespace"), in.path("id"))
				return "the alarm is deleted", "", err
			}},
		{path: "objects/{namespace}/{id}/restore", about: "Makes the object what it was at a bookmark.",
			fields: []field{{"bookmark", "one of the object's"}}, do: func(in input) (string, string, error) {
				r, err := x.o.Client.Restore(in.ctx, in.path("namespace"), in.path("id"), in.get("bookmark"))
				return "the object is what it was; the bookmark that undoes this: " + r.Undo, "", err
			}},
		{path: "objects/{namespace}/{id}/delete", about: "Removes all that the object has stored, and its alarm.",
			do: func(in input) (string, string, error) {
				_, err := x.o.Client.DeleteObject(in.ctx, in.path("namespace"), in.path("id"))
				return "deleted the object " + in.path("id"), Base + "objects", err
			}},
		{path: "objects/{namespace}/{id}/sql", about: "Runs SQL that may write.", fields: []field{{"sql", "statements"},
			{"write", "must be ticked"}}, do: x.writeSQL},
	}
}

func (x *Server) writeSQL(in input) (string, string, error) {
	ns, id, sql := in.path("namespace"), in.path("id"), in.get("sql")
	page := Base + "objects/" + url.PathEscape(ns) + "/" + url.PathEscape(id)
	if !in.has("write") {
		return "it was only read", page + "?" + string(query("sql", sql)) + "#sql", nil
	}
	rows, err := x.o.Client.SQL(in.ctx, ns, id, control.SQL{SQL: sql, Write: true, Limit: pageOfRows})
	return "done, " + many(len(rows.Rows), "row") + " came back", "", err
}
