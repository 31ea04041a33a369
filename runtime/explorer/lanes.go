package explorer

import (
	"net/http"
	"net/url"
	"slices"

	"eddy/runtime/control"
)

// LaneQueueList is the model of the list of queues with lanes.
type LaneQueueList struct {
	Queues []control.LaneQueue `json:"queues"`
}

// LaneList is the model of the lanes of a queue.
type LaneList struct {
	Queue   string         `json:"queue"`
	Blocked bool           `json:"blocked"`
	After   string         `json:"after,omitempty"`
	Lanes   []control.Lane `json:"lanes"`
	// Next is the key after which the next page begins, "" if there is none.
	Next string `json:"next,omitempty"`
}

// LanePage is the model of one lane.
type LanePage struct {
	control.LaneContent
}

const pageOfLanes = 200

func (x *Server) lanePages() []page {
	return []page{
		of("lanes", "lanequeues", "Queues with FIFO lanes.", func(r *http.Request) (*LaneQueueList, error) {
			all, err := x.o.Client.LaneQueues(r.Context())
			return &LaneQueueList{all}, err
		}),
		of("lanes/{queue}", "lanes", "The lanes of a queue, blocked ones first.", x.lanes,
			field{"blocked", "only those that are blocked"}, field{"after", "begin after this key"}),
		of("lanes/{queue}/{key}", "lane", "One lane: what blocks it, and what waits behind.",
			func(r *http.Request) (*LanePage, error) {
				c, err := x.o.Client.LaneMessages(r.Context(), r.PathValue("queue"), r.PathValue("key"), pageOfMessages)
				return &LanePage{c}, err
			}),
	}
}

func (x *Server) lanes(r *http.Request) (*LaneList, error) {
	v := r.URL.Query()
	l := &LaneList{Queue: r.PathValue("queue"), Blocked: v.Get("blocked") != "", After: v.Get("after")}
	var err error
	if l.Lanes, err = x.o.Client.Lanes(r.Context(), l.Queue, l.After, pageOfLanes, l.Blocked); err != nil {
		return nil, err
	}
	if len(l.Lanes) == pageOfLanes {
		l.Next = l.Lanes[len(l.Lanes)-1].Key
	}
	if !l.Blocked && l.After == "" {
		blocked, err := x.o.Client.Lanes(r.Context(), l.Queue, "", pageOfLanes, true)
		if err != nil {
			return nil, err
		}
		first := map[string]bool{}
		for _, b := range blocked {
			first[b.Key] = true
		}
		l.Lanes = append(blocked, slices.DeleteFunc(l.Lanes, func(one control.Lane) bool { return first[one.Key] })...)
	}
	return l, nil
}

// lanePath is the page of a lane.
func lanePath(queue, key string) string {
	return Base + "lanes/" + url.PathEscape(queue) + "/" + url.PathEscape(key)
}

func (x *Server) laneActs() []act {
	return []act{{path: "lanes/{queue}/{key}/retry", about: "Ends the back-off of the lane: its oldest message is " +
		"tried now.",
		do: func(in input) (string, string, error) {
			return "its oldest message is tried now", "", x.o.Client.LaneDeliver(in.ctx, in.path("queue"),
				in.path("key"))
		}}, {path: "lanes/{queue}/{key}/remove", about: "Removes a message from a lane.",
		fields: []field{{"id", "of the message"}, {"note", "what to remember of it"}},
		do: func(in input) (string, string, error) {
			err := x.o.Client.LaneRemove(in.ctx, in.path("queue"), control.LaneRemoval{Key: in.path("key"),
				ID: in.get("id"), Note: in.get("note")})
			return "removed " + in.get("id"), lanePath(in.path("queue"), in.path("key")), err
		}}}
}
