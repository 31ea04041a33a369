package regexp_test

import (
	"encoding/json"
	"os"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// Regular expressions as objects: what scripts can do to them and to their prototype, lastIndex, groups, indices,
// templates and functions of replacements. The answers are V8's, recorded by testdata/objects.mjs, for sloppy code and,
// since none of it depends on that, for strict code.
func TestObjectsAsInV8(t *testing.T) {
	text, err := os.ReadFile("testdata/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Prelude string
		Rows    [][2]string
	}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	r := ecmatest.New(t)
	for _, row := range recorded.Rows {
		for _, strict := range []bool{false, true} {
			v, err := r.Run("row.js", "(function () {"+recorded.Prelude+row[0]+"\n})()", strict)
			if err != nil {
				t.Errorf("%s\n%v", row[0], err)
			} else if got := v.String(); got != row[1] {
				t.Errorf("strict %v: %s\n got %s\nwant %s", strict, row[0], got, row[1])
			}
		}
	}
}
