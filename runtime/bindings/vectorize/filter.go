package vectorize

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// fits tells whether metadata fits a filter: each field fits its condition, a value or operators (BIND-73).
func fits(metadata json.RawMessage, filter map[string]any) (bool, error) {
	if len(filter) == 0 {
		return true, nil
	}
	var fields map[string]any
	if len(metadata) > 0 {
		if err := json.Unmarshal(metadata, &fields); err != nil {
			return false, err
		}
	}
	all := true
	for key, condition := range filter {
		value, there := field(fields, key)
		operators, ok := condition.(map[string]any)
		if !ok {
			operators = map[string]any{"$eq": condition}
		}
		for name, operand := range operators {
			ok, err := holds(name, value, there, operand)
			if err != nil {
				return false, err
			}
			all = all && ok
		}
	}
	return all, nil
}

// field finds a value by its key, in which dots lead into objects.
func field(fields map[string]any, key string) (any, bool) {
	if v, ok := fields[key]; ok {
		return v, true
	}
	first, rest, ok := strings.Cut(key, ".")
	if inner, is := fields[first].(map[string]any); ok && is {
		return field(inner, rest)
	}
	return nil, false
}

func holds(operator string, value any, there bool, operand any) (bool, error) {
	list, isList := operand.([]any)
	in := func() bool {
		for _, v := range list {
			if there && same(value, v) {
				return true
			}
		}
		return false
	}
	switch operator {
	case "$in", "$nin":
		if !isList {
			return false, refusal{40023, fmt.Sprintf("invalid filter: %s expects an array", operator)}
		}
		return in() == (operator == "$in"), nil
	}
	switch operand.(type) {
	case []any, map[string]any:
		return false, refusal{40023, fmt.Sprintf("invalid filter: %s expects a text, number, boolean or null",
			operator)}
	}
	switch operator {
	case "$eq":
		return there && same(value, operand) || !there && operand == nil, nil
	case "$ne":
		return !(there && same(value, operand)), nil
	}
	order, comparable := compare(value, operand)
	switch operator {
	case "$lt":
		return comparable && order < 0, nil
	case "$lte":
		return comparable && order <= 0, nil
	case "$gt":
		return comparable && order > 0, nil
	case "$gte":
		return comparable && order >= 0, nil
	}
	return false, refusal{40023, fmt.Sprintf("invalid filter: unknown operator %s", operator)}
}

// same compares texts, numbers, booleans and null; nothing is the same as an array or an object.
func same(a, b any) bool {
	switch b.(type) {
	case string, float64, bool, nil:
		return a == b
	}
	return false
}

func compare(a, b any) (order int, ok bool) {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return cmp.Compare(x, y), ok
	case string:
		y, ok := b.(string)
		return cmp.Compare(x, y), ok
	}
	return 0, false
}
