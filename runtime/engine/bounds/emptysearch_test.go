package bounds_test

import "testing"

// An empty text is found at each code unit, as in Node; goja's own replaceAll went on for ever from the fourth one on.
func TestEmptySearch(t *testing.T) {
	holds(t, []string{
		`"ab".replaceAll("", "-") ==> -a-b-`,
		`"".replaceAll("", "é$") ==> é$`,
		"\"ab\".replaceAll(\"\", \"<$`$'$$&>\") ==> <ab$&>a<ab$&>b<ab$&>",
		`"é".replaceAll("").length ==> 19`,
		`[..."😀".replaceAll("", "-")].map((c) => c.codePointAt(0).toString(16)).join() ==> 2d,d83d,2d,de00,2d`,
		`"hé".replaceAll("", (m, i, s) => m.length + i + s) ==> 0héh1héé2hé`,
		"\"hé!\".replaceAll(\"\", \"[$`|$&|$'|$$|$1|$<a>|$]\") ==> " +
			"[||hé!|$|$1|$<a>|$]h[h||é!|$|$1|$<a>|$]é[hé||!|$|$1|$<a>|$]![hé!|||$|$1|$<a>|$]",
		`"é".replaceAll("", "$$$") ==> $$é$$`,
		`"\ud83d\ude00".replaceAll("", "").codePointAt(0) ==> 128512`,
		`"\ud800".replaceAll("", "\udc00").length ==> 3`,
		`"é".replaceAll("", () => { throw new RangeError("stop") }) ==> RangeError: stop`,
		`"é".repeat(2 ** 20).replaceAll("", "x").length ==> 2097153`,
		`"é".repeat(2 ** 16).replaceAll("", "x".repeat(2 ** 16)) ==> RangeError: Invalid string length`,
	})
}
