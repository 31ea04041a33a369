package replay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"eddy/runtime/journal"
)

// Choice says which events run, and how often. The zero value runs each event once.
type Choice struct {
	// Queue takes deliveries of a queue only, Batch the delivery with a number, which counts from 1, Message the
	// message with an id, or the beginning of one: the others are taken out of its batches.
	Queue   string
	Batch   int
	Message string
	// From and To bound the time of an event, both included; zero means no bound.
	From, To time.Time
	// Times runs each event so often, 0 for once. Shuffle puts deliveries and the messages in them in another order;
	// the instants stay. Duplicate is the probability with which a delivery comes twice. Seed decides both.
	Times     int
	Shuffle   bool
	Duplicate float64
	Seed      uint64
}

// Rerun is one run of an event.
type Rerun struct {
	*Recorded
	// Start is when it runs. Again counts its runs before.
	Start time.Time
	Again int
}

// Choose makes a plan.
func Choose(list []*Recorded, s Choice) ([]*Rerun, error) {
	var steps []*Rerun
	spans := bySpan(list)
	batch := 0
	for _, r := range sorted(list) {
		if !first(r.Line, spans) {
			continue
		}
		if r.Line.Delivers() {
			batch++
		}
		if r = s.take(r, batch); r == nil {
			continue
		}
		for n := range max(s.Times, 1) {
			steps = append(steps, &Rerun{r, r.At, n})
		}
	}
	if s.Batch > batch {
		return nil, fmt.Errorf("there is no batch %d: the files have %d", s.Batch, batch)
	}
	rng := rand.New(rand.NewPCG(s.Seed, 4))
	if s.Duplicate > 0 {
		var more []*Rerun
		for _, step := range steps {
			more = append(more, step)
			if step.Line.Delivers() && rng.Float64() < s.Duplicate {
				more = append(more, &Rerun{step.Recorded, step.Start, step.Again + 1})
			}
		}
		steps = more
	}
	if s.Shuffle {
		shuffle(steps, rng)
	}
	return steps, nil
}

// bySpan are the lines of files by their spans.
func bySpan(list []*Recorded) map[string]*journal.Line {
	spans := map[string]*journal.Line{}
	for _, r := range list {
		if r.Line.Span != "" {
			spans[r.Line.Span] = r.Line
		}
	}
	return spans
}

// first tells whether no other event of the file causes this one.
func first(l *journal.Line, spans map[string]*journal.Line) bool {
	switch l.Kind {
	case journal.Queue, journal.Lane, journal.Scheduled, journal.Dead:
		return true
	case journal.Email:
		return l.Mail != nil && l.Mail.Text != nil // files of older releases have no text
	case journal.Socket:
		return fromClient(l, spans)
	case journal.Fetch:
		return l.Object == nil && spans[l.Parent] == nil
	case journal.Alarm:
		return l.Object != nil && spans[l.Parent] == nil
	}
	return false
}

// take returns the chosen part of an event, nil if it was not chosen.
func (s *Choice) take(r *Recorded, batch int) *Recorded {
	l := r.Line
	delivery := l.Delivers()
	switch {
	case s.Queue != "" && l.Queue != s.Queue, s.Batch != 0 && (!delivery || batch != s.Batch):
		return nil
	case !s.From.IsZero() && r.At.Before(s.From), !s.To.IsZero() && r.At.After(s.To):
		return nil
	}
	if s.Message == "" {
		return r
	}
	id := strings.ToLower(strings.ReplaceAll(s.Message, "-", ""))
	var kept []journal.FileMessage
	for _, m := range l.Messages {
		if strings.HasPrefix(m.ID, id) {
			kept = append(kept, m)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	if len(kept) < len(l.Messages) {
		part := *l
		part.Messages = kept
		return &Recorded{r.File, r.Number, &part, r.At}
	}
	return r
}

// shuffle changes the order of deliveries and of the messages in them. Instants and other events stay as they are.
func shuffle(steps []*Rerun, rng *rand.Rand) {
	var places []int
	for i, s := range steps {
		if s.Line.Kind == journal.Queue {
			places = append(places, i)
		}
	}
	for i := len(places) - 1; i > 0; i-- {
		a, b := places[i], places[rng.IntN(i+1)]
		steps[a].Recorded, steps[b].Recorded = steps[b].Recorded, steps[a].Recorded
		steps[a].Again, steps[b].Again = steps[b].Again, steps[a].Again
	}
	for _, i := range places {
		line := *steps[i].Line
		line.Messages = slices.Clone(line.Messages)
		rng.Shuffle(len(line.Messages), func(a, b int) {
			line.Messages[a], line.Messages[b] = line.Messages[b], line.Messages[a]
		})
		r := steps[i].Recorded
		steps[i].Recorded = &Recorded{r.File, r.Number, &line, r.At}
	}
}
