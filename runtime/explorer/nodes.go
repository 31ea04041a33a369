package explorer

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/archive"
	"eddy/runtime/cluster/node"
	"eddy/runtime/journal"
)

// Nodes is what a session that is a node of a cluster knows of the others. Its functions may be called from any
// goroutine.
type Nodes struct {
	// Node is the name of this node. It has the queues: the pages of other nodes come from it.
	Node string
	// Status looks at the nodes.
	Status func(context.Context) (node.Sight, error)
	// Stored is the way to a store of the bindings, and Kept lists those that have something stored.
	Stored func(objectstore.Name) objectstore.Way
	Kept   func(context.Context) ([]archive.Listed, error)
	// Recorded is what was recorded on all nodes, the latest of it if room says how many bytes are read of each
	// journal; with an error it has that of the nodes that have answered. Watch gives what is recorded from now on, and
	// tells of nodes that do not give it, or do again.
	Recorded func(ctx context.Context, room int64) ([]*journal.Entry, error)
	Watch    func(ctx context.Context, opened func() error,
		told func(node string, how journal.Following, why error), f func(*journal.Entry) error) error
	// Ask asks all nodes, or the one that is named, what [Own.Tell] gives there, and calls told with each answer, one
	// at a time. failed says which gave none, and why.
	Ask func(ctx context.Context, node string, q url.Values, told func(node string, answer []byte) error) (
		failed map[string]error, err error)
}

// NodeList is the model of a cluster's nodes.
type NodeList struct {
	node.Sight
	Here string    `json:"here"`
	Rows []NodeRow `json:"rows"`
	// Failed says why nothing can be told: the database does not answer.
	Failed string `json:"failed,omitempty"`
}

// NodeRow is a node with what lies in its shards.
type NodeRow struct {
	node.Status
	Objects int   `json:"objects"`
	Stores  int   `json:"stores"`
	Bytes   int64 `json:"bytes"`
}

// Ranges are the numbers of its shards.
func (r NodeRow) Ranges() string {
	var parts []string
	for i := 0; i < len(r.Owned); {
		j := i
		for j+1 < len(r.Owned) && r.Owned[j+1] == r.Owned[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(r.Owned[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", r.Owned[i], r.Owned[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, " ")
}

// Clock says by how much its clock differs from the database's.
func (r NodeRow) Clock() string {
	switch a := r.Trouble.Ahead; {
	case a > 0:
		return fmt.Sprintf("%d s ahead", a)
	case a < 0:
		return fmt.Sprintf("%d s behind", -a)
	}
	return "right"
}

// Beat says when its last beat was seen.
func (r NodeRow) Beat() string { return fmt.Sprintf("%.1f s ago", r.Quiet) }

// statusTime is how long the database may take to tell of the nodes.
const statusTime = 3 * time.Second

func (x *Server) nodePages() []page {
	return []page{of("nodes", "nodes", "The nodes of a cluster: their shards, beats, clocks, and what they tell of "+
		"themselves.", x.nodes)}
}

func (x *Server) nodes(r *http.Request) (*NodeList, error) {
	if x.o.Cluster == nil {
		return nil, missing("this session is no node of a cluster: eddy serve --cluster starts one")
	}
	l := &NodeList{Here: x.o.Cluster.Node, Rows: []NodeRow{}}
	ctx, cancel := context.WithTimeout(r.Context(), statusTime)
	defer cancel()
	var err error
	if l.Sight, err = x.o.Cluster.Status(ctx); err != nil {
		l.Failed = fmt.Sprintf("The cluster's database does not say: %v", err)
		return l, nil
	}
	for _, s := range l.Nodes {
		l.Rows = append(l.Rows, NodeRow{Status: s})
	}
	objects, err := x.o.Client.Objects(ctx, "")
	if err != nil {
		return nil, err
	}
	stores, err := x.o.Cluster.Kept(ctx)
	if err != nil {
		return nil, err
	}
	for i := range l.Rows {
		row := &l.Rows[i]
		for _, o := range objects {
			if o.Node == row.Name {
				row.Objects++
				row.Bytes += o.Bytes
			}
		}
		for _, s := range stores {
			if s.Node == row.Name {
				row.Stores++
				row.Bytes += s.Bytes
			}
		}
	}
	return l, nil
}
