package explorer

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"eddy/runtime/lazyregexp"
	"eddy/runtime/running"
)

// inPath finds the variables of a path.
var inPath = lazyregexp.New(`\{([a-z]+)\}`)

// openAPI serves the description of what scripts can ask for: pages as JSON, and acts. It is made from the tables from
// which the routes are made (OpenAPI 3.1.1, https://spec.openapis.org/oas/v3.1.1.html).
func (x *Server) openAPI(w http.ResponseWriter, r *http.Request) {
	doc, err := x.description()
	if err != nil {
		x.refuse(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, doc)
}

func (x *Server) description() (map[string]any, error) {
	schemas, paths := map[string]any{}, map[string]any{}
	name := func(t reflect.Type) (map[string]any, error) {
		if _, ok := schemas[t.Name()]; !ok {
			s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
			if err != nil {
				return nil, err
			}
			schemas[t.Name()] = s
		}
		return map[string]any{"$ref": "#/components/schemas/" + t.Name()}, nil
	}
	failed, err := name(reflect.TypeFor[running.ErrorBody]())
	if err != nil {
		return nil, err
	}
	done, err := name(reflect.TypeFor[Done]())
	if err != nil {
		return nil, err
	}
	for _, p := range x.pages {
		ref, err := name(p.result)
		if err != nil {
			return nil, err
		}
		o := operation(p.path, p.about, jsonContent(ref), failed)
		o["parameters"] = append(o["parameters"].([]any), inQuery(p.query)...)
		paths[Base+strings.TrimSuffix(p.path, "{$}")] = map[string]any{"get": o}
	}
	for _, f := range x.files() {
		o := operation(f.path, f.about, map[string]any{f.kind: map[string]any{}}, failed)
		o["parameters"] = append(o["parameters"].([]any), inQuery(f.query)...)
		paths[Base+f.path] = map[string]any{"get": o}
	}
	for _, a := range x.acts {
		o := operation(a.path, a.about, jsonContent(done), failed)
		properties := map[string]any{}
		for _, f := range a.fields {
			properties[f.name] = map[string]any{"description": f.about}
		}
		o["requestBody"] = map[string]any{"required": true, "content": jsonContent(
			map[string]any{"type": "object", "properties": properties})}
		paths[Base+a.path] = map[string]any{"post": o}
	}
	return map[string]any{
		"openapi": "3.1.1",
		"info": map[string]any{"title": "eddy's explorer", "version": "1",
			"description": "Each page of the explorer as JSON " +
				"(Accept: application/json), and what can be done there (Content-Type: application/json)."},
		"servers": []any{map[string]any{"url": "/"}},
		"paths":   paths, "components": map[string]any{"schemas": schemas},
	}, nil
}

func operation(path, about string, ok, failed any) map[string]any {
	o := map[string]any{"summary": about, "parameters": []any{}, "responses": map[string]any{
		"200":     map[string]any{"description": "done", "content": ok},
		"default": map[string]any{"description": "refused", "content": jsonContent(failed)},
	}}
	for _, m := range inPath.FindAllStringSubmatch(path, -1) {
		o["parameters"] = append(o["parameters"].([]any), map[string]any{"name": m[1], "in": "path", "required": true,
			"schema": map[string]any{"type": "string"}})
	}
	return o
}

// inQuery describes parameters of a query.
func inQuery(fields []field) (list []any) {
	for _, f := range fields {
		list = append(list, map[string]any{"name": f.name, "in": "query", "description": f.about,
			"schema": map[string]any{"type": "string"}})
	}
	return list
}

func jsonContent(schema any) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": schema}}
}
