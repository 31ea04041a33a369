package workflows

// Status is the status of an instance. The numbers are the reference's (FLOW-154).
type Status int

// The statuses (FLOW-122).
const (
	Queued Status = iota
	Running
	Paused
	Errored
	Terminated
	Complete
	WaitingForPause
	Waiting
)

var statusWords = [...]string{
	"queued", "running", "paused", "errored", "terminated", "complete", "waitingForPause", "waiting"}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusWords) {
		return "unknown"
	}
	return statusWords[s]
}

// ParseStatus finds a status by its word.
func ParseStatus(word string) (Status, bool) {
	for i, w := range statusWords {
		if w == word {
			return Status(i), true
		}
	}
	return 0, false
}

// Final tells whether an instance in this status has ended (FLOW-122).
func (s Status) Final() bool { return s == Errored || s == Terminated || s == Complete }

// Trigger tells what created an instance (FLOW-154).
type Trigger int

// The triggers.
const (
	ByAPI Trigger = iota
	ByBinding
	ByEvent
	ByCron
)

func (t Trigger) String() string { return [...]string{"api", "binding", "event", "cron"}[t] }

// Kind is a kind of step. Each kind counts its names apart from the others (FLOW-20).
type Kind int

// The kinds of steps.
const (
	Do Kind = iota
	Sleep
	Wait
	Rollback
)

// state is the state of a step.
type state int

const (
	attempting state = iota // an attempt runs, or ran when its life ended
	succeeded
	failed
	waits // it waits for its due time, or for an event
)
