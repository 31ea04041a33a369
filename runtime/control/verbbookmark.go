package control

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"eddy/runtime/restapi"
)

// Bookmark is a state to which an object can go back.
type Bookmark struct {
	At       time.Time `json:"at"`
	Bookmark string    `json:"bookmark"`
}

// Restoration is the input of going back, and with Undo its answer.
type Restoration struct {
	Bookmark string `json:"bookmark"`
	// Undo is the bookmark that leads back to what the object was before; output only.
	Undo string `json:"undo,omitempty"`
}

// BookmarkInspector goes back in the time of objects that a running session has.
type BookmarkInspector interface {
	// Bookmarks lists states of an object, newest first, at most limit.
	Bookmarks(ctx context.Context, x Object, limit int) ([]Bookmark, error)
	// Restore makes an object what it was at a bookmark.
	Restore(ctx context.Context, x Object, bookmark string) (undo string, err error)
}

// bookmarkVerbs are GET /objects/{object}/bookmarks?limit= and POST /objects/{object}/restore.
func (a *API) bookmarkVerbs() map[string]verb {
	return map[string]verb{
		"GET /objects/{object}/bookmarks": a.verbBookmarks, "POST /objects/{object}/restore": a.verbRestore,
	}
}

// past finds the object of a route and who goes back in its time.
func (a *API) past(r *http.Request) (BookmarkInspector, Object, error) {
	s, x, err := a.object(r)
	if err != nil {
		return nil, x, err
	}
	past, ok := s.(BookmarkInspector)
	if !ok && x.Node != "" {
		return nil, x, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody,
			"a cluster remembers no earlier states of objects: a backup of its database has them")
	}
	if !ok {
		return nil, x, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody,
			"no session of this state directory that answers here runs the objects of %s", x.Namespace)
	}
	return past, x, nil
}

func (a *API) verbBookmarks(r *http.Request) (any, error) {
	past, x, err := a.past(r)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(r, "limit", 20)
	if err != nil {
		return nil, err
	}
	list, err := past.Bookmarks(r.Context(), x, min(limit, maxFound))
	return append([]Bookmark{}, list...), refuse409(err)
}

func (a *API) verbRestore(r *http.Request) (any, error) {
	past, x, err := a.past(r)
	if err != nil {
		return nil, err
	}
	in, err := input[Restoration](r)
	if err != nil {
		return nil, err
	}
	in.Undo, err = past.Restore(r.Context(), x, in.Bookmark)
	return in, refuse409(err)
}

// Bookmarks lists states to which an object can go back, newest first.
func (c *Client) Bookmarks(ctx context.Context, namespace, object string, limit int) ([]Bookmark, error) {
	q := url.Values{"namespace": {namespace}, "limit": {strconv.Itoa(limit)}}
	return do[[]Bookmark](ctx, c, "GET", objectPath(object, "/bookmarks", q), nil)
}

// Restore makes an object what it was at a bookmark.
func (c *Client) Restore(ctx context.Context, namespace, object, bookmark string) (Restoration, error) {
	return do[Restoration](ctx, c, "POST", objectPath(object, "/restore", url.Values{"namespace": {namespace}}),
		Restoration{Bookmark: bookmark})
}
