package bundle

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// regexpProbe is a literal, a subject and the right answer as V8 gives it: JSON of [index, match, captures…], null, or
// for the flag g the list of all matches. wrong says that the engine itself gives another answer, when the literal
// stands alone or, to force its second matcher, behind an assertion that always holds.
type regexpProbe struct {
	literal, subject, want string
	wrong                  bool
}

var regexpProbes = []regexpProbe{
	// Unicode properties, new flags and new groups
	{`/\p{L}/u`, "1aé", `[1,"a"]`, true},
	{`/[^\p{L}]/u`, "a-", `[1,"-"]`, true},
	{`/\P{L}/u`, "a1", `[1,"1"]`, true},
	{`/[[a-z]&&[aeiou]]/v`, "xe", `[1,"e"]`, true},
	{`/a(b)?/d`, "ab", `[0,"ab","b"]`, true},
	{`/(?i:a)b/`, "Ab", `[0,"Ab"]`, true},
	{`/(?<y>\d{4})-(?<m>\d\d)/`, "2020-01", `[0,"2020-01","2020","01"]`, false},
	// ignoring case
	{`/s/i`, "ſ", `null`, true},
	{`/\w/i`, "ſ", `null`, true},
	{`/ß/i`, "ẞ", `null`, true},
	{`/k/i`, "\u212a", `null`, true},
	{`/ſ/iu`, "s", `[0,"s"]`, false},
	{`/\W/iu`, "S", `null`, true},
	{`/é/i`, "É", `[0,"É"]`, false},
	// line ends
	{`/./`, "\u2028", `null`, true},
	{`/./s`, "\u2028", `[0,"\u2028"]`, false},
	{`/./`, "\r", `null`, false},
	{`/^b/m`, "a\nb", `[2,"b"]`, false},
	{`/^b/m`, "a\rb", `[2,"b"]`, true},
	{`/a$/m`, "a\r\nb", `[0,"a"]`, true},
	{`/a$/`, "a\n", `null`, false},
	// words and spaces
	{`/\bfoo/`, "éfoo", `[1,"foo"]`, true},
	{`/\Bx/`, "éx", `null`, true},
	{`/\w/`, "é", `null`, false},
	{`/\d/`, "٣", `null`, false},
	{`/\s/`, "\ufeff", `[0,"\ufeff"]`, false},
	{`/[\s]/`, "\u00a0", "[0,\"\u00a0\"]", false},
	{`/\S/`, "\ufeff", `null`, false},
	{`/[^\S]/`, "\ufeff", `[0,"\ufeff"]`, false},
	// captures in loops
	{`/(?:(a)|b)*/`, "ab", `[0,"ab",null]`, true},
	{`/(a(b)?)+/`, "aba", `[0,"aba","a",null]`, true},
	{`/(a*)*/`, "b", `[0,"",null]`, true},
	{`/(?:|a)+/`, "aa", `[0,"aa"]`, true},
	{`/(a{0,2})*/`, "aaa", `[0,"aaa","a"]`, true},
	{`/(a|ab)(c|bcd)(d*)/`, "abcd", `[0,"abcd","a","bcd",""]`, false},
	{`/(ab?)+/`, "aab", `[0,"aab","ab"]`, false},
	{`/(?:(a)|(b))?c/`, "bc", `[0,"bc",null,"b"]`, false},
	{`/(?=(a+))a*b\1/`, "baaabac", `[3,"aba","a"]`, false},
	// lookbehind
	{`/(?<=(\d+)(\d+))$/`, "1053", `[4,"","1","053"]`, false},
	{`/(?<!\d)\d{2}(?!\d)/`, "123 45 6", `[4,"45"]`, false},
	// classes
	{`/[[:alpha:]]/`, ":]", `[0,":]"]`, true},
	{`/[a-z-[aeiou]]/`, "-]", `[0,"-]"]`, true},
	{`/[a-\d]/`, "-", `[0,"-"]`, false},
	{`/[^]/`, "\n", `[0,"\n"]`, false},
	{`/[]/`, "a", `null`, false},
	// escapes
	{`/\a/`, "a", `[0,"a"]`, true},
	{`/a\z/`, "az", `[0,"az"]`, true},
	{`/\A/`, "A", `[0,"A"]`, true},
	{`/\G/`, "G", `[0,"G"]`, true},
	{`/\c/`, `\c`, `[0,"\\c"]`, true},
	{`/[\c1]/`, "\x11", `[0,"\u0011"]`, true},
	{`/\400/`, " 0", `[0," 0"]`, true},
	{`/\u{2}/`, "uu", `[0,"uu"]`, false},
	{`/a{,5}/`, "a{,5}", `[0,"a{,5}"]`, false},
	// code units and code points
	{`/^.$/u`, "😀", `[0,"😀"]`, false},
	{`/😀{2}/u`, "😀😀", `[0,"😀😀"]`, false},
	{`/[\ud800-\udbff][\udc00-\udfff]/`, "😀", `[0,"😀"]`, true},
	{`/[\u{1F600}-\u{1F64F}]/u`, "😃", `[0,"😃"]`, false},
	{`/^[^x]$/`, "😀", `null`, false},
	// several matches
	{`/$/gm`, "a\r\nb", `[[1,""],[2,""],[4,""]]`, true},
	{`/./g`, "a\u2028b", `[[0,"a"],[2,"b"]]`, true},
	{`/\bb/g`, "b éb", `[[0,"b"],[3,"b"]]`, true},
	{`/[a-c]+/g`, "abxc", `[[0,"ab"],[3,"c"]]`, false},
	{`/x*/gu`, "😀b", `[[0,""],[2,""],[3,""]]`, false},
	// plain ones
	{`/^(?:\w+\.)+$/`, "a.b.", `[0,"a.b."]`, false},
	{`/^[\w-]+@[a-z]+\/\$$/`, "a-b@c/$", `[0,"a-b@c/$"]`, false},
	{`/\x41\u0042/`, "AB", `[0,"AB"]`, false},
}

const probeScript = `(function (literal, subject, forced) {
	const at = literal.lastIndexOf("/");
	const source = literal.slice(1, at), flags = literal.slice(at + 1);
	const re = new RegExp(forced ? "(?!\\uffff)(?:" + source + ")" : source, flags);
	if (!re.global) {
		const m = re.exec(subject);
		return JSON.stringify(m && [m.index, ...m].map((x) => x === undefined ? null : x));
	}
	const all = [];
	for (let m; (m = re.exec(subject)) && all.length < 10;) {
		all.push([m.index, ...m]);
		if (m[0] === "") re.lastIndex += re.unicode && subject.codePointAt(re.lastIndex) > 0xffff ? 2 : 1;
	}
	return JSON.stringify(all);
})`

// TestRegExpTraps checks the list of what the engine gets wrong, in both directions, and that every such literal
// reaches the host.
func TestRegExpTraps(t *testing.T) {
	rt := goja.New()
	v, err := rt.RunString(probeScript)
	if err != nil {
		t.Fatal(err)
	}
	match, _ := goja.AssertFunction(v)
	ask := func(p regexpProbe, forced bool) string {
		v, err := match(goja.Undefined(), rt.ToValue(p.literal), rt.ToValue(p.subject), rt.ToValue(forced))
		if err != nil {
			return "error"
		}
		return v.String()
	}
	for _, p := range regexpProbes {
		end := strings.LastIndexByte(p.literal, '/')
		var want, plain any
		if err := json.Unmarshal([]byte(p.want), &want); err != nil {
			t.Fatalf("%s: %v", p.literal, err)
		}
		text, _ := json.Marshal(want)
		wrong := false
		for _, answer := range []string{ask(p, false), ask(p, true)} {
			if json.Unmarshal([]byte(answer), &plain) != nil {
				wrong = true
				continue
			}
			got, _ := json.Marshal(plain)
			wrong = wrong || string(got) != string(text)
		}
		if wrong != p.wrong {
			t.Errorf("%s on %q: the engine is wrong: %v, recorded %v (%s, %s, want %s)", p.literal, p.subject, wrong,
				p.wrong, ask(p, false), ask(p, true), p.want)
		}
		if wrong && !needsHostRegExp(p.literal[1:end], p.literal[end+1:]) {
			t.Errorf("%s stays native although the engine gets it wrong on %q", p.literal, p.subject)
		}
	}
}

func TestNeedsHostRegExp(t *testing.T) {
	tests := []struct {
		source, flags string
		want          bool
	}{
		{`^[a-z0-9]+(?:-[a-z0-9]+)*$`, "", false},
		{`^\d{1,3}(?:\.\d{1,3}){3}$`, "", false},
		{`\/+`, "g", false},
		{`[^a-zA-Z0-9_.~-]`, "gu", false},
		{`(a|b)*`, "", false},
		{`(a)(b)?`, "s", false},
		{`((a)|b)?`, "", false},
		{`\u00e9[é-ü]`, "", false},
		{`\u{1F600}`, "u", false},
		{`(?:(a))+`, "", true},
		{`((a)|b){1,}`, "", true},
		{`(a?)+`, "", true},
		{`(?=a)`, "", true},
		{`(a)\1`, "", true},
		{`[\S]`, "", true},
		{`\ud83d`, "", true},
		{`😀+`, "", true},
		{`a)`, "", true},
		{`(a`, "", true},
		{`[a`, "", true},
		{`a{`, "", true},
		{`\`, "", true},
		{`\x4`, "", true},
	}
	for _, test := range tests {
		if got := needsHostRegExp(test.source, test.flags); got != test.want {
			t.Errorf("/%s/%s: %v, want %v", test.source, test.flags, got, test.want)
		}
	}
}

func FuzzNeedsHostRegExp(f *testing.F) {
	for _, p := range regexpProbes {
		f.Add(p.literal)
	}
	f.Fuzz(func(t *testing.T, source string) {
		// Every pattern gets a verdict, and the same one when it stands in a group.
		if needsHostRegExp(source, "") && !needsHostRegExp("(?:"+source+")", "") && !strings.ContainsAny(source, "()") {
			t.Errorf("%q needs the host, but not inside a group", source)
		}
	})
}
