package objectjs

import (
	"context"
	"time"

	"eddy/durableobject"
	"eddy/runtime/cause"
)

// RunAlarm runs the alarm handler of an object now, for somebody who knows of an alarm that is not stored: a capture.
// It runs once, whatever becomes of it, in place of an alarm that is set. id is the object's in hexadecimal digits,
// name its name, "" if that is not known. The handler is told scheduled and retries (AL3), the journal the cause from.
// RunAlarm returns when the handler has been sent for. An error says that no Worker that runs has the namespace, or
// that the id is none of it.
func (o *Objects) RunAlarm(ctx context.Context, namespace, id, name string, scheduled time.Time, retries int,
	from cause.Cause) error {
	parsed, err := durableobject.ParseID(namespace, id)
	if err != nil {
		return err
	}
	key := durableobject.AlarmKey{Namespace: namespace, ID: parsed}
	err = o.on(ctx, namespace, func(h *home) error {
		h.instance(parsed, name, name != "") // the object knows its name then; a failure comes again with the alarm
		h.iso.Journal().SetAlarm(alarmName(key), from)
		return nil
	})
	if err == nil {
		o.alarms.Run(key, durableobject.AlarmInfo{Scheduled: scheduled, RetryCount: retries})
	}
	return err
}
