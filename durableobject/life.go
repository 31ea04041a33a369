package durableobject

import "fmt"

// State is where an object is in its life.
type State uint8

// The states.
const (
	// Cold: no instance in memory, no sockets.
	Cold State = iota
	// Starting: the constructor is running.
	Starting
	// Running: something is in progress.
	Running
	// Idle: in memory, with nothing to do.
	Idle
	// Hibernating: no instance in memory, but sockets that stay open.
	Hibernating
	// Broken: reset; callers hear why, and the id gets a new object.
	Broken
)

// String is the name of the state.
func (s State) String() string {
	return [...]string{"cold", "starting", "running", "idle", "hibernating", "broken"}[s]
}

// Trigger is what changes a state.
type Trigger uint8

// The triggers.
const (
	// Arrive: an event is delivered.
	Arrive Trigger = iota
	// Constructed: the constructor has returned.
	Constructed
	// Quiet: nothing is in progress any more.
	Quiet
	// Expire: the idle time is over and there are no sockets.
	Expire
	// Sleep: the idle time is over and sockets stay.
	Sleep
	// Reset: abort, a failed constructor or critical section, a failed commit.
	Reset
)

// String is the name of the trigger.
func (t Trigger) String() string {
	return [...]string{"arrive", "constructed", "quiet", "expire", "sleep", "reset"}[t]
}

// life is the whole table: what is not in it must not happen.
var life = map[State]map[Trigger]State{
	Cold:        {Arrive: Starting},
	Starting:    {Arrive: Starting, Constructed: Running, Reset: Broken},
	Running:     {Arrive: Running, Quiet: Idle, Reset: Broken},
	Idle:        {Arrive: Running, Expire: Cold, Sleep: Hibernating, Reset: Broken},
	Hibernating: {Arrive: Starting, Expire: Cold, Reset: Broken},
	Broken:      {Reset: Broken},
}

// next is the state after a trigger.
func next(s State, t Trigger) (State, error) {
	if to, ok := life[s][t]; ok {
		return to, nil
	}
	return s, fmt.Errorf("durableobject: %s does not take %s", s, t)
}
