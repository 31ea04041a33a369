package bundle

import (
	"slices"
	"strings"
	"testing"
)

// Modules that are no files are found relative to the module that imports them, each by the kind that was given, and by
// import() of any name.
func TestGiven(t *testing.T) {
	b, err := Build(Given([]GivenModule{
		{Name: "main.js", Kind: RuleESModule, Content: []byte(`import { a } from "./lib/a.js"; import t from "t.txt";
import j from "./j.json"; import c from "./c.cjs"; export default [a, t, j, c];
  export const later = (n) => import(n);`)},
		{Name: "lib/a.js", Kind: RuleESModule, Content: []byte(`import "../b.js"; export const a = 1;`)},
		{Name: "b.js", Kind: RuleESModule, Content: []byte(`globalThis.b = 1`)},
		{Name: "t.txt", Kind: RuleText, Content: []byte("text")},
		{Name: "j.json", Kind: RuleJSON, Content: []byte(`{"k":1}`)},
		{Name: "c.cjs", Kind: RuleCommonJS, Content: []byte(`module.exports = 1`)},
	}, "main.js"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.Exports, []string{"default", "later"}) || len(b.Assets) != 1 ||
		string(b.Assets[0].Bytes) != "text" || len(b.Inputs) > 1 {
		t.Errorf("exports %v, assets %v, inputs %v", b.Exports, b.Assets, b.Inputs)
	}
	for what, modules := range map[string][]GivenModule{
		`No such module "nope.js"`: {{Name: "main.js", Kind: RuleESModule, Content: []byte(`import "./nope.js"`)}},
		`No such module "a/main.js"`: {{Name: "main.js", Kind: RuleESModule, Content: []byte(`import "./a/b.js"`)},
			{Name: "a/b.js", Kind: RuleESModule, Content: []byte(`import "./main.js"`)}},
		"Unexpected": {{Name: "main.js", Kind: RuleESModule, Content: []byte(`export default }`)}},
		"deep":       {{Name: "main.js", Kind: RuleESModule, Content: []byte(strings.Repeat("[", 6000))}},
	} {
		if _, err := Build(Given(modules, "main.js")); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
}
