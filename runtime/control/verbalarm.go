package control

import (
	"context"
	"net/http"
	"net/url"

	"eddy/runtime/restapi"
)

// AlarmInspector fires and drops alarms of the objects that a running session has.
type AlarmInspector interface {
	// FireAlarm runs an object's alarm as though its time had come.
	FireAlarm(x Object) error
	// DropAlarm deletes an object's alarm.
	DropAlarm(ctx context.Context, x Object) error
}

// alarmVerbs are POST /objects/{object}/alarm/fire and DELETE /objects/{object}/alarm.
func (a *API) alarmVerbs() map[string]verb {
	return map[string]verb{
		"POST /objects/{object}/alarm/fire": a.verbFireAlarm, "DELETE /objects/{object}/alarm": a.verbDropAlarm,
	}
}

// alarmOf finds the object of a route and who can do something to its alarm.
func (a *API) alarmOf(r *http.Request) (AlarmInspector, Object, error) {
	s, x, err := a.object(r)
	if err != nil {
		return nil, x, err
	}
	alarms, ok := s.(AlarmInspector)
	if !ok {
		return nil, x, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody,
			"no session of this state directory that answers here runs the objects of %s", x.Namespace)
	}
	return alarms, x, nil
}

func (a *API) verbFireAlarm(r *http.Request) (any, error) {
	alarms, x, err := a.alarmOf(r)
	if err != nil {
		return nil, err
	}
	return x, refuse409(alarms.FireAlarm(x))
}

func (a *API) verbDropAlarm(r *http.Request) (any, error) {
	alarms, x, err := a.alarmOf(r)
	if err != nil {
		return nil, err
	}
	return x, refuse409(alarms.DropAlarm(r.Context(), x))
}

// refuse409 makes an error a refusal of something that is not possible now.
func refuse409(err error) error {
	if err == nil {
		return nil
	}
	return restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%v", err)
}

// FireAlarm runs an object's alarm now.
func (c *Client) FireAlarm(ctx context.Context, namespace, object string) (Object, error) {
	return do[Object](ctx, c, "POST", objectPath(object, "/alarm/fire", url.Values{"namespace": {namespace}}), nil)
}

// DropAlarm deletes an object's alarm.
func (c *Client) DropAlarm(ctx context.Context, namespace, object string) (Object, error) {
	return do[Object](ctx, c, "DELETE", objectPath(object, "/alarm", url.Values{"namespace": {namespace}}), nil)
}
