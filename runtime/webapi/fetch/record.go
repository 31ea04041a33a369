package fetch

import (
	"eddy/runtime/cause"
	"eddy/runtime/journal"
)

// record notes a request in the entry of the event that makes it, wraps answer so that its answer is noted, and gives
// the request its cause in a header, unless the script has set one. Without a journal it does nothing.
func (k *classes) record(q *OutRequest, answer func(TransportAnswer)) func(TransportAnswer) {
	if k.h.Recording == nil {
		return answer
	}
	clock := k.h.Loop.Clock()
	own := k.h.Loop.Hops().Cause
	if e := k.h.Recording(); e != nil {
		q.asked = e.Ask(journal.Subrequest{Method: q.Method, URL: q.URL, Header: q.Header.Clone(), Body: q.Body.Bytes,
			At: clock.Now().UnixMicro()})
		if q.asked != nil {
			own = q.asked.Cause(e.Trace)
		}
	}
	if own.Valid() && q.Header.Get(cause.Header) == "" {
		q.Header.Set(cause.Header, own.String())
	}
	asked := q.asked
	if asked == nil {
		return answer
	}
	if q.Body.Reader != nil {
		q.Body.Reader = asked.Body(q.Body.Reader)
	}
	return func(a TransportAnswer) {
		switch {
		case a.Parts != nil:
			asked.Answered(a.Parts.Status, a.Parts.Header.Clone(), clock.Now())
			if s := a.Parts.Status; q.Method == "HEAD" || nullBodyStatus(s) || redirectStatus(s) && !q.Manual {
				asked.Answer(nil, 0) // no script will read it
			} else {
				a.Parts.Body = asked.Answer(a.Parts.Body, a.Parts.Length)
			}
		case a.Lost != nil:
			asked.Failed(a.Lost.Error(), clock.Now())
		case a.Failure != nil:
			// The value may be the script's own, whose conversion may throw.
			text := "failed"
			_ = k.h.Realm.Try(func() { text = a.Failure.String() })
			asked.Failed(text, clock.Now())
		}
		answer(a)
	}
}
