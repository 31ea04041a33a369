package sharing

import (
	"context"
	"encoding/json"
	"errors"

	"eddy/runtime/control"
)

// errEnding says that the session that owns the queues ends before it has told an event to its subscribers.
var errEnding = errors.New("the session that owns the queues ends")

// Fires tells whether events reach subscriptions: those of this session's control API, or of the owner's.
func (s *Sharing) Fires() bool { return s.Control() != nil || s.Queues.Broker() == nil }

// Fire tells the subscriptions of an event, wherever the queues are. In the session that owns them it waits until the
// queues have the messages; a guest does not wait. done is called once.
func (s *Sharing) Fire(e control.SourceEvent, done func(error)) {
	if a := s.Control(); a != nil {
		_, err := a.Fire(context.Background(), e)
		done(err)
		return
	}
	if s.Queues.Broker() != nil {
		done(nil) // nothing can have subscribed: there is no control API
		return
	}
	b, err := json.Marshal(e)
	if err != nil {
		done(err)
		return
	}
	s.Queues.Fire(b, func(err error) {
		select {
		case <-s.ending:
			err = nil // this session ends: what it has not been told does not matter to it
		default:
		}
		done(err)
	})
}

// fired tells the subscriptions of an event that a guest has sent, once this session is connected. If the queues leave
// before that, somebody else is to be told.
func (s *Sharing) fired(leaving <-chan struct{}, event []byte, done func(error)) {
	var e control.SourceEvent
	if err := json.Unmarshal(event, &e); err != nil {
		done(err)
		return
	}
	select {
	case <-s.connected:
		if s.hosting != nil && s.Control() == nil {
			done(errEnding) // the queues go to another node
			return
		}
		s.Fire(e, done)
	case <-leaving:
		done(errEnding)
	case <-s.ending:
		done(errEnding)
	}
}
