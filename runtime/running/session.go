package running

import "time"

// Process describes the process that has the state open.
type Process struct {
	PID     int       `json:"pid"`
	URL     string    `json:"url"`
	State   string    `json:"state"`
	Started time.Time `json:"started"`
	Workers []string  `json:"workers"`
	// Node is its name in a cluster, whose database keeps what is in State elsewhere; "" outside.
	Node string `json:"node,omitempty"`
	// Guests are the sessions that share the state directory with it.
	Guests []Guest `json:"guests,omitempty"`
}

// Guest is a session that has joined another one.
type Guest struct {
	PID     int      `json:"pid"`
	URL     string   `json:"url"`
	Workers []string `json:"workers"`
}
