package control

import (
	"context"
	"net/http"

	"eddy/runtime/restapi"
)

// sharedFiles are the files of a state directory that sessions share: the objects of another session's Workers may be
// read beside it, but only that session can change them.
type sharedFiles struct {
	ObjectInspector
	// elsewhere names the session that runs a namespace's objects, "" if none does.
	elsewhere func(namespace string) string
}

func (s sharedFiles) free(x Object) error {
	if who := s.elsewhere(x.Namespace); who != "" {
		return restapi.Refuse(
			http.StatusConflict, restapi.CodeInvalidBody,
			"the objects of %s live in %s, which shares this state directory: it can be looked into from here, and "+
				"changed when that session has ended", x.Namespace, who)
	}
	return nil
}

// Query implements [ObjectInspector].
func (s sharedFiles) Query(ctx context.Context, x Object, q SQL) (Rows, error) {
	if q.Write {
		if err := s.free(x); err != nil {
			return Rows{}, err
		}
	}
	return s.ObjectInspector.Query(ctx, x, q)
}

// Evict implements [ObjectInspector].
func (s sharedFiles) Evict(ctx context.Context, x Object, force bool) (bool, error) {
	if err := s.free(x); err != nil {
		return false, err
	}
	return s.ObjectInspector.Evict(ctx, x, force)
}

// Delete implements [ObjectInspector].
func (s sharedFiles) Delete(ctx context.Context, x Object) error {
	if err := s.free(x); err != nil {
		return err
	}
	return s.ObjectInspector.Delete(ctx, x)
}
