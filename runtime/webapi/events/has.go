package events

import "github.com/dop251/goja"

// Has tells whether somebody listens for events of that type.
func (t *Target) Has(typ string) bool {
	for _, l := range t.listeners {
		if l.typ == typ {
			return true
		}
	}
	return false
}

// Values are the JavaScript listeners for a type: functions and objects with handleEvent.
func (t *Target) Values(typ string) []*goja.Object {
	var list []*goja.Object
	for _, l := range t.listeners {
		if l.typ == typ && l.value != nil {
			list = append(list, l.value)
		}
	}
	return list
}
