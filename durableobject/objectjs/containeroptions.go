package objectjs

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/containers"
	"eddy/runtime/engine/webidl"
)

// Limits of labels: how many there may be, and how long a name and a value, in bytes.
const (
	maxLabels     = 10
	maxLabelName  = 16
	maxLabelValue = 64
)

// spec reads the options of start().
func (c *container) spec(o *goja.Object) (s containers.Launch, image string) {
	if o == nil {
		return s, ""
	}
	if v := webidl.Option(o, "entrypoint"); v != nil {
		s.Entrypoint = c.list(v, "entrypoint")
	}
	if v := webidl.Option(o, "enableInternet"); v != nil {
		s.Internet = v.ToBoolean()
	}
	s.Env = c.environment(webidl.Option(o, "env"))
	if v, ok := webidl.Option(o, "labels").(*goja.Object); ok {
		s.Labels = c.labels(v)
	}
	if v := webidl.Option(o, "image"); v != nil {
		image = webidl.ToString(v)
	}
	for _, name := range []string{"directorySnapshots", "containerSnapshot"} {
		if webidl.Option(o, name) != nil {
			c.throw("%s of start() is not served by eddy: see docs/gaps.md.", name)
		}
	}
	return s, image
}

// list reads an array of strings.
func (c *container) list(v goja.Value, name string) []string {
	var list []string
	if c.h.iso.Runtime().ExportTo(v, &list) != nil {
		c.h.iso.Realm.ThrowType("Incorrect type for the '%s' field on 'StartupOptions': the provided value is not of "+
			"type 'Array'.", name)
	}
	return list
}

// environment reads variables and gives them as NAME=VALUE.
func (c *container) environment(v goja.Value) (list []string) {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	for _, name := range o.Keys() {
		value := webidl.ToString(o.Get(name))
		switch {
		case strings.Contains(name, "="):
			c.throw("Environment variable names cannot contain '=': %s", name)
		case strings.Contains(name, "\x00"):
			c.throw(`Environment variable names cannot contain '\0': %s`, name)
		case strings.Contains(value, "\x00"):
			c.throw(`Environment variable values cannot contain '\0': %s`, name)
		}
		list = append(list, name+"="+value)
	}
	return list
}

func (c *container) labels(o *goja.Object) map[string]string {
	labels := map[string]string{}
	names := o.Keys()
	if len(names) > maxLabels {
		c.throw("Cannot specify more than %d container labels", maxLabels)
	}
	for i, name := range names {
		value := webidl.ToString(o.Get(name))
		switch {
		case name == "":
			c.throw("Label names cannot be empty")
		case len(name) > maxLabelName:
			c.throw("Label names cannot exceed %d bytes (index %d)", maxLabelName, i)
		case len(value) > maxLabelValue:
			c.throw("Label values cannot exceed %d bytes (index %d)", maxLabelValue, i)
		case strings.ContainsFunc(name, control):
			c.throw("Label names cannot contain control characters (index %d)", i)
		case strings.ContainsFunc(value, control):
			c.throw("Label values cannot contain control characters (index %d)", i)
		}
		labels[name] = value
	}
	return labels
}

func control(r rune) bool { return r < ' ' }
