package control

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"eddy/queues"
	"eddy/runtime/restapi"
)

func (a *API) verbLaneQueues(r *http.Request) (any, error) {
	all, err := a.o.Broker.LaneQueues(r.Context())
	views := make([]LaneQueue, 0, len(all))
	for _, q := range all {
		views = append(views, LaneQueue{
			Name: q.Name, Attached: q.Attached, Lanes: q.Lanes, Blocked: q.Blocked, Messages: q.Messages,
			Bytes:      q.Bytes,
			MaxRetries: q.Config.MaxRetries, MaxBatch: q.Config.MaxBatchSize,
			BaseDelayMS: q.Config.RetryBaseDelay.Milliseconds(), MaxDelayMS: q.Config.RetryMaxDelay.Milliseconds(),
		})
	}
	return views, err
}

func (a *API) verbLanes(r *http.Request) (any, error) {
	limit, err := intParam(r, "limit", 100)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	lanes, err := a.o.Broker.Lanes(
		r.Context(), r.PathValue("queue"), query.Get("after"), limit, query.Get("blocked") == "1")
	if err != nil {
		return nil, noMessage(err)
	}
	views := make([]Lane, 0, len(lanes))
	for _, l := range lanes {
		views = append(views, laneView(l))
	}
	return views, nil
}

// LaneContent is a lane with its oldest messages.
type LaneContent struct {
	Lane
	Content []Message `json:"content"`
}

func (a *API) verbLaneMessages(r *http.Request) (any, error) {
	limit, err := intParam(r, "limit", 10)
	if err != nil {
		return nil, err
	}
	info, msgs, err := a.o.Broker.LaneMessages(r.Context(), r.PathValue("queue"), r.URL.Query().Get("key"), limit)
	if err != nil {
		return nil, noMessage(err)
	}
	v := LaneContent{Lane: laneView(info), Content: []Message{}}
	for i, m := range msgs {
		state := info.State
		if i > 0 {
			state = "behind"
		}
		v.Content = append(
			v.Content, Message{
				ID: m.ID.UUID(), Timestamp: m.Timestamp, Attempts: m.Attempts, State: state,
				MessageBody: a.bodyView(m.ContentType, m.Body)})
	}
	return v, nil
}

// LaneRemoval is the input of removing a message from a lane.
type LaneRemoval struct {
	Key  string `json:"key"`
	ID   string `json:"id"`
	Note string `json:"note,omitempty"`
}

func (a *API) verbLaneRemove(r *http.Request) (any, error) {
	in, err := input[LaneRemoval](r)
	if err != nil {
		return nil, err
	}
	id, err := parseUUID(in.ID)
	if err != nil {
		return nil, err
	}
	return nil, noMessage(a.o.Broker.LaneRemove(r.Context(), r.PathValue("queue"), in.Key, id, in.Note))
}

// parseUUID reads a lane message's id (DQ-7), with or without dashes.
func parseUUID(s string) (queues.ID, error) {
	var id queues.ID
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || copy(id[:], b) != len(id) || len(b) != len(id) {
		return id, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody, "id %q: expected a UUID", s)
	}
	return id, nil
}

func noMessage(err error) error {
	if errors.Is(err, queues.ErrNoMessage) || errors.Is(err, queues.ErrNoLane) {
		return restapi.Refuse(http.StatusNotFound, restapi.CodeBadMessage, "%v", err)
	}
	return err
}
