package control

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"eddy/durableobject/storage"
	"eddy/runtime/lazyregexp"
	"eddy/runtime/restapi"
)

// objectVerbs are GET /objects?namespace=, GET /objects/{object}, …/storage?prefix=&limit=, POST …/sql, POST
// …/evict?force=, DELETE, GET /alarms, POST /alarms/resume.
func (a *API) objectVerbs() map[string]verb {
	return map[string]verb{
		"GET /objects": a.verbObjects, "GET /objects/{object}": a.verbObject,
		"GET /objects/{object}/storage": a.verbStorage,
		"POST /objects/{object}/sql":    a.verbSQL, "POST /objects/{object}/evict": a.verbEvict,
		"DELETE /objects/{object}": a.verbDeleteObject, "GET /alarms": a.verbAlarms,
		"POST /alarms/resume": a.verbResumeAlarms,
	}
}

// stores gives, for every namespace asked for ("" is all), where its objects are: the session's own come first, then
// what else is in the state directory.
func (a *API) stores(ctx context.Context, namespace string) (map[string]ObjectInspector, error) {
	var list []ObjectInspector
	if a.o.Objects != nil {
		list = append(list, a.o.Objects)
	}
	if a.o.State != "" {
		var files ObjectInspector = newObjectFiles(a.o.State, a.o.Render)
		if a.o.Elsewhere != nil {
			files = sharedFiles{files, a.o.Elsewhere}
		}
		list = append(list, files)
	}
	if len(list) == 0 {
		return nil, restapi.Refuse(
			http.StatusConflict, restapi.CodeInvalidBody, "this session keeps no state directory to look into")
	}
	found := map[string]ObjectInspector{}
	for _, s := range list {
		keys, err := s.Namespaces(ctx)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if found[key] == nil && (namespace == "" || namespace == key) {
				found[key] = s
			}
		}
	}
	return found, nil
}

// listObjects lists by namespace and id.
func (a *API) listObjects(ctx context.Context, namespace string) ([]Object, map[string]ObjectInspector, error) {
	stores, err := a.stores(ctx, namespace)
	if err != nil {
		return nil, nil, err
	}
	keys := make([]string, 0, len(stores))
	for key := range stores {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	all := []Object{}
	for _, key := range keys {
		list, err := stores[key].List(ctx, key)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, list...)
	}
	return all, stores, nil
}

func (a *API) verbObjects(r *http.Request) (any, error) {
	all, _, err := a.listObjects(r.Context(), r.URL.Query().Get("namespace"))
	return all, err
}

// wholeID matches an id that is not cut short.
var wholeID = lazyregexp.New(`^[0-9a-f]{64}$`)

// object finds the one object that is meant by a full id, the start of one, or a name.
func (a *API) object(r *http.Request) (ObjectInspector, Object, error) {
	which, namespace := r.PathValue("object"), r.URL.Query().Get("namespace")
	if namespace != "" && wholeID.MatchString(which) {
		stores, err := a.stores(r.Context(), namespace)
		if err != nil {
			return nil, Object{}, err
		}
		if f, ok := stores[namespace].(ObjectFinder); ok {
			if x, ok, err := f.Find(r.Context(), namespace, which); ok || err != nil {
				return stores[namespace], x, err
			}
		}
	}
	all, stores, err := a.listObjects(r.Context(), namespace)
	if err != nil {
		return nil, Object{}, err
	}
	matches := slices.DeleteFunc(all, func(x Object) bool {
		return x.Name != which && !(len(which) >= 4 && strings.HasPrefix(x.ID, strings.ToLower(which)))
	})
	switch len(matches) {
	case 0:
		return nil, Object{},
			restapi.Refuse(http.StatusNotFound, restapi.CodeInvalidBody, "no object %q has stored anything", which)
	case 1:
		return stores[matches[0].Namespace], matches[0], nil
	}
	return nil, Object{},
		restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody,
			"%q means %d objects; name the namespace, or the whole id", which, len(matches))
}

func (a *API) verbObject(r *http.Request) (any, error) {
	s, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	return s.Show(r.Context(), x)
}

func (a *API) verbStorage(r *http.Request) (any, error) {
	s, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(r, "limit", 100)
	if err != nil {
		return nil, err
	}
	return s.Values(r.Context(), x, r.URL.Query().Get("prefix"), limit)
}

func (a *API) verbSQL(r *http.Request) (any, error) {
	s, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	in, err := input[SQL](r)
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(r.Context(), x, in)
	if errors.Is(err, storage.ErrReadOnly) {
		e := restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", err)
		e.Details = []string{`say that it shall write: eddy objects sql --write, or "write": true`}
		return nil, e
	}
	if err != nil {
		return nil, restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody, "%v", err)
	}
	return rows, nil
}

func (a *API) verbEvict(r *http.Request) (any, error) {
	s, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	evicted, err := s.Evict(r.Context(), x, r.URL.Query().Get("force") != "")
	if err != nil {
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", err)
	}
	return Eviction{x, evicted}, nil
}

func (a *API) verbDeleteObject(r *http.Request) (any, error) {
	s, x, err := a.object(r)
	if err != nil {
		return nil, err
	}
	return x, s.Delete(r.Context(), x)
}

// withAlarms lists objects as listObjects does, but those without an alarm may be left out.
func (a *API) withAlarms(ctx context.Context, namespace string) (all []Object, err error) {
	stores, err := a.stores(ctx, namespace)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(stores)) {
		var list []Object
		if f, ok := stores[key].(ObjectFinder); ok {
			list, err = f.Alarms(ctx, key)
		} else {
			list, err = stores[key].List(ctx, key)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

func (a *API) verbAlarms(r *http.Request) (any, error) {
	all, err := a.withAlarms(r.Context(), r.URL.Query().Get("namespace"))
	list := []Alarm{}
	for _, x := range all {
		if x.Alarm != nil {
			list = append(list, Alarm{x.Namespace, x.ID, x.Name, *x.Alarm})
		}
	}
	slices.SortStableFunc(list, func(x, y Alarm) int { return x.At.Compare(y.At) })
	return list, err
}

func (a *API) verbResumeAlarms(r *http.Request) (any, error) {
	if a.o.Objects == nil {
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", errStopped)
	}
	return nil, a.o.Objects.ResumeAlarms(r.Context())
}
