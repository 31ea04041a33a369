package control

import (
	"net/http"
	"time"

	"eddy/queues"
	"eddy/runtime/restapi"
)

func (a *API) verbDeadLetterQueues(r *http.Request) (any, error) {
	all, err := a.o.Broker.Queues(r.Context())
	targets := map[string]bool{}
	for _, q := range all {
		if q.Consumer != nil {
			targets[q.Consumer.Config.DeadLetterQueue] = true
		}
	}
	views := []Queue{}
	for _, q := range all {
		if targets[q.Name] || q.DeadLetters > 0 {
			views = append(views, a.view(q))
		}
	}
	return views, err
}

// DeadLetterFilter chooses dead letters; see [queues.DeadLetterFilter]. An empty filter chooses all.
type DeadLetterFilter struct {
	Source string     `json:"source,omitempty"`
	Since  *time.Time `json:"since,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
	Error  string     `json:"error,omitempty"`
	IDs    []string   `json:"ids,omitempty"`
	Limit  int        `json:"limit,omitempty"`
}

func (f DeadLetterFilter) parse() (queues.DeadLetterFilter, error) {
	out := queues.DeadLetterFilter{Source: f.Source, Error: f.Error, Limit: f.Limit}
	if f.Since != nil {
		out.Since = *f.Since
	}
	if f.Until != nil {
		out.Until = *f.Until
	}
	for _, s := range f.IDs {
		id, err := queues.ParseID(s)
		if err != nil {
			return out, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody, "%v", err)
		}
		out.IDs = append(out.IDs, id)
	}
	if f.Limit < 0 {
		return out, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody, "limit of %d is negative", f.Limit)
	}
	return out, nil
}

// DeadLetterAction is the input of list, replay, skip and escalate.
type DeadLetterAction struct {
	DeadLetterFilter
	// To, NewID and Note are as in [queues.RedriveOptions].
	To    string `json:"to,omitempty"`
	NewID bool   `json:"new_id,omitempty"`
	Note  string `json:"note,omitempty"`
}

func (a *API) deadLetterAction(r *http.Request) (
	queue string, in DeadLetterAction, f queues.DeadLetterFilter, err error) {
	q, err := a.queue(r)
	if err != nil {
		return "", in, f, err
	}
	if in, err = input[DeadLetterAction](r); err != nil {
		return "", in, f, err
	}
	f, err = in.parse()
	return q.Name, in, f, err
}

func (a *API) verbDeadLetters(r *http.Request) (any, error) {
	queue, _, f, err := a.deadLetterAction(r)
	if err != nil {
		return nil, err
	}
	msgs, err := a.o.Broker.DeadLetters(r.Context(), queue, f)
	return a.peekViews(msgs), err
}

func (a *API) verbReplay(r *http.Request) (any, error) {
	queue, in, f, err := a.deadLetterAction(r)
	if err != nil {
		return nil, err
	}
	n, err := a.o.Broker.Redrive(
		r.Context(), queue, f, queues.RedriveOptions{To: in.To, NewID: in.NewID, Note: in.Note})
	return Count{n}, err
}

func (a *API) verbSkip(r *http.Request) (any, error) {
	queue, in, f, err := a.deadLetterAction(r)
	if err != nil {
		return nil, err
	}
	n, err := a.o.Broker.Skip(r.Context(), queue, f, in.Note)
	return Count{n}, err
}

func (a *API) verbEscalate(r *http.Request) (any, error) {
	queue, in, f, err := a.deadLetterAction(r)
	if err != nil {
		return nil, err
	}
	n, err := a.o.Broker.Escalate(r.Context(), queue, f, in.Note)
	return Count{n}, err
}

// Edit is the input of edit: the message by its ref, or by its id.
type Edit struct {
	Ref  string `json:"ref,omitempty"`
	ID   string `json:"id,omitempty"`
	Note string `json:"note,omitempty"`
	MessageBody
}

func (a *API) verbEdit(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	in, err := input[Edit](r)
	if err != nil {
		return nil, err
	}
	if in.Ref == "" {
		id, err := queues.ParseID(in.ID)
		if err != nil {
			return nil, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody, "%v", err)
		}
		msgs, err := a.o.Broker.DeadLetters(
			r.Context(), q.Name, queues.DeadLetterFilter{IDs: []queues.ID{id}, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(msgs) == 0 {
			return nil, restapi.Refuse(
				http.StatusNotFound, restapi.CodeBadMessage, "no dead letter %s in queue %q", in.ID, q.Name)
		}
		in.Ref = msgs[0].Ref
		if in.ContentType == "" {
			in.ContentType = msgs[0].ContentType.String()
		}
	}
	out, err := in.outgoing()
	if err != nil {
		return nil, err
	}
	return nil, a.o.Broker.Edit(r.Context(), q.Name, in.Ref, out.ContentType, out.Body, in.Note)
}

func (a *API) verbNotes(r *http.Request) (any, error) {
	notes, err := a.o.Broker.Notes(r.Context())
	views := make([]Note, 0, len(notes))
	for _, n := range notes {
		views = append(views, Note{n.At, n.Action, n.Queue, n.Text, n.Messages})
	}
	return views, err
}
