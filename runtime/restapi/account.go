package restapi

import (
	"net/http"
)

// accountRoutes answer what clients ask for on their way: who am I, which accounts are there, which Workers. Any token
// is good, and every account is the same one.
func (a *API) accountRoutes() {
	for spec, h := range map[string]handler{
		"GET /user":                             a.user,
		"GET /user/tokens/verify":               a.verifyToken,
		"GET /accounts/{account}/tokens/verify": a.verifyToken,
		"GET /memberships":                      a.memberships,
		"GET /accounts":                         a.accounts,
		"GET /accounts/{account}":               a.account,
	} {
		a.route(Prefix, spec, h)
	}
	a.mux.HandleFunc(Prefix+"/", a.serve(func(r *http.Request) (any, *resultInfo, error) {
		return nil, nil, Refuse(http.StatusNotFound, CodeNoRoute, "No route for the URI: %s %s", r.Method, r.URL.Path)
	}))
}

const localAccount = "local"

func accountView(id string) map[string]any {
	return map[string]any{"id": id, "name": "eddy (local)", "type": "standard"}
}

func (a *API) user(*http.Request) (any, *resultInfo, error) {
	return map[string]any{"id": localAccount, "email": "local@localhost"}, nil, nil
}

func (a *API) verifyToken(*http.Request) (any, *resultInfo, error) {
	return map[string]any{"id": localAccount, "status": "active"}, nil, nil
}

func (a *API) accounts(r *http.Request) (any, *resultInfo, error) {
	list, info := paged(r, []map[string]any{accountView(localAccount)}, 20)
	return list, info, nil
}

func (a *API) account(r *http.Request) (any, *resultInfo, error) {
	return accountView(r.PathValue("account")), nil, nil
}

func (a *API) memberships(r *http.Request) (any, *resultInfo, error) {
	list, info := paged(
		r, []map[string]any{{"id": localAccount, "status": "accepted", "account": accountView(localAccount)}}, 20)
	return list, info, nil
}

// script finds a Worker of the session.
func (a *API) script(name string) (Script, error) {
	for _, s := range a.scripts() {
		if s.Name == name {
			return s, nil
		}
	}
	return Script{},
		Refuse(http.StatusNotFound, CodeUnknownScript,
			"This Worker does not exist on your account: no %q in this session.", name)
}

func scriptView(s Script) map[string]any {
	handlers := []string{"fetch"}
	if s.HasQueue {
		handlers = append(handlers, "queue")
	}
	return map[string]any{
		"id": s.Name, "handlers": handlers,
		"default_environment": map[string]any{
			"environment": "production", "script": map[string]any{"id": s.Name, "handlers": handlers}},
	}
}

func (a *API) getScript(r *http.Request) (any, *resultInfo, error) {
	s, err := a.script(r.PathValue("script"))
	if err != nil {
		return nil, nil, err
	}
	return scriptView(s), nil, nil
}

func (a *API) listScripts(*http.Request) (any, *resultInfo, error) {
	list := []map[string]any{}
	for _, s := range a.scripts() {
		list = append(list, scriptView(s))
	}
	return list, nil, nil
}
