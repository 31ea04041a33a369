package peer

import (
	"fmt"
	"slices"
	"strings"

	"eddy/queues"
)

// Member describes a session to the others.
type Member struct {
	PID int `json:"pid"`
	// Node is its incarnation in a cluster, "name/incarnation"; "" outside.
	Node    string   `json:"node,omitempty"`
	URL     string   `json:"url,omitempty"` // "" until it listens
	Workers []Worker `json:"workers"`
	// Namespaces are the unique keys of the Durable Objects that live in it.
	Namespaces []string `json:"namespaces,omitempty"`
}

// Worker is a Worker of a session, as far as queues are concerned.
type Worker struct {
	Name string `json:"name"`
	// Producers are the queues it is bound to.
	Producers []string `json:"producers,omitempty"`
	// HasQueue says whether it exports a queue() handler.
	HasQueue bool `json:"hasQueue,omitempty"`
}

// String names the session for people.
func (s Member) String() string {
	text := fmt.Sprintf("process %d", s.PID)
	if s.Node != "" {
		name, _, _ := strings.Cut(s.Node, "/")
		text = "node " + name
	}
	if s.URL != "" {
		text += " at " + s.URL
	}
	return text
}

func (s Member) runs(worker string) bool {
	return slices.ContainsFunc(s.Workers, func(w Worker) bool { return w.Name == worker })
}

// Names lists the names of its Workers, separated by commas.
func (s Member) Names() string {
	names := make([]string, len(s.Workers))
	for i, w := range s.Workers {
		names[i] = w.Name
	}
	return strings.Join(names, ", ")
}

func (s Member) consumer(c queues.ConsumerConfig) string {
	if c.Type == queues.PullConsumer {
		return "http_pull, of " + s.String()
	}
	return fmt.Sprintf("Worker %q of %s", c.Script, s)
}

// ChangeKind says what happened to a session's peers.
type ChangeKind string

// The kinds of change.
const (
	Joined ChangeKind = "joined" // a guest joined this owner
	Left   ChangeKind = "left"   // a guest has ended
	Lost   ChangeKind = "lost"   // this guest's owner has ended
	Took   ChangeKind = "took"   // this guest is the owner now
	Found  ChangeKind = "found"  // this guest has another owner now
	Failed ChangeKind = "failed" // this guest can neither open the log nor reach an owner, Err says why
)

// Change is something that happened to a session's peers.
type Change struct {
	Kind ChangeKind
	// Member is the other one.
	Session Member
	Err     error
}
