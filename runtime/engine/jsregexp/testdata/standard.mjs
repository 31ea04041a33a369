// A Worker that answers with standard.json: what the platform's V8 makes of patterns from the clauses of ECMA-262, 22.2.
// Each row is pattern, flags, text, and the bounds of all groups (null for no match, "ERR reason" for a SyntaxError).
//   wrangler dev standard.mjs --compatibility-date 2026-04-01
//   curl http://localhost:8787/ > standard.json
const S = "\u{1F600}", K = "\u212A", longS = "\u017F";
// clause: [patterns], [flags], [texts]; each combination is a row.
const clauses = [
  // Disjunction: the first alternative that lets the rest match wins; groups of the others are unset
  [["a|ab", "((a)|(ab))((c)|(bc))", "|a", "a||b", "(?:|a)+", "(a|ab)(bc|c)?", "(?:a|(b))(?:c|(d))", "(|a)*b"], ["",
    "u"], ["abc", "ab", "bd", "aab", ""]],
  // Quantifiers: greedy and lazy, bounds, empty iterations end, groups are reset in each iteration
  [["a*", "a*?", "a+?b", "a{2}", "a{2,}", "a{1,2}?", "(a*)*", "(a*)+", "(?:a?)*?b", "(z)((a+)?(b+)?(c))*",
    "(?:(a)|b)*", "(a?)??", "(?:a*?)*$", "(a{0,2}){2,3}", "a{0}b", "(a){0}b", "(?=(a))*b", "x{2147483648}", "a{,2}",
    "a{2"], ["", "u"], ["", "aab", "aaaa", "zaacbbbcac", "aaba", "a{,2}", "a{2"]],
  // Assertions
  [["^a", "a$", "^$", "\\bfoo\\b", "\\Bo", "(?=(a+))a*b\\1", "(?=(a+))", "(?!a)b", "(.*?)a(?!(a+)b\\2c)\\2(.*)",
    "(?<=a)b", "(?<!a)b", "(?<=(\\d+)(\\d+))$", "(?<=\\1(a))b", "(?<=(?:a|bc){2})d", "(?<=^ab?)c", "(?<=(a)|b)c",
    "(?<!(^|[ab]))\\w", "(?<=([abc]+)).\\1"], ["", "m", "u", "y"], ["a", "ab\na", "foo foobar", "baaabac", "1053",
    "aab", "bcad", "abc\nabc", "baac", ""]],
  // Backreferences: to groups that are open, unset, later, out of range; named ones
  [["(a)\\1", "\\1(a)", "(a\\1)", "(?:(a)|b)\\1", "\\2(a)(b)", "(?<n>a)\\k<n>", "\\k<n>(?<n>a)", "\\k<n>", "\\k",
    "(?<n>a)\\k", "(?<n>a)\\k<m>", "(a)\\2", "(a)\\10", "\\8", "\\08", "(?<$>x)(?<\u{1d453}>y)\\k<$>",
    "(?<a>.)(?<a>.)", "(?<1>a)", "(?<a", "(?<>a)"], ["", "u", "i"], ["aa", "a", "ab", "k<n>a", "xyx", "aA",
    "\u0008a", "8", "k", "\x008"]],
  // Escapes of characters
  [["\\x41", "\\x4", "\\u0041", "\\u004", "\\u{41}", "\\u{110000}", "\\cA", "\\c", "\\c1", "[\\c1]", "\\0", "\\00",
    "\\01", "\\101", "\\400", "[\\1]", "[\\00]", "[\\8]", "\\t\\n\\v\\f\\r", "[\\b]", "\\-", "[\\-]", "\\a", "\\/",
    "\\ud83d\\ude00", "[\\ud83d\\ude00]", "\\u{1f600}"], ["", "u", "v"], ["A", "x4", "u004", "\u0001", "\\c",
    "\\c1", "\u0000", "0", " 0", "\u0011", "\t\n\v\f\r", "\b", "-", "a", "/", S, "\u{41}".repeat(41), "8"]],
  // Classes of characters
  [["[]", "[^]", "[^a]", "[a-c]", "[c-a]", "[a-]", "[-a]", "[a-\\d]", "[\\d-a]", "[\\w-]", "[^\\W]", "[\\s\\S]",
    "[\\]]", "[[]", "[a", "]", "{", "}", "a{", "[\\u{61}]", "[^\\d\\D]", "[" + S + "]", "[^x]", "."], ["", "u",
    "s"], ["", "a", "b", "-", "]", "[", "{", "}", "\n", "\u2028", S, "a{", "d", "u"]],
  // Escapes of classes
  [["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\p{Lu}", "\\P{Lu}", "\\p{Script=Greek}", "\\p{scx=Grek}", "\\p{L}",
    "\\p{Nope}", "\\p{General_Category=Lu}", "\\p", "\\p{ASCII}", "[\\p{Lu}\\d]", "[^\\p{Lu}]", "\\p{^Lu}"], ["",
    "u", "ui", "iu", "v", "vi"], ["1", "a", "A", " ", "\ufeff", "\u180e", "\u03a3", "_", K, longS, "p{Lu}",
    "\u0130"]],
  // Without regard to case: simple uppercase without u, simple case folding with it
  [["\u00e9", "\u00df", "\u1e9e", "k", K, "s", longS, "[a-z]", "[^a-z]", "[^K]", "\\w", "\\W", "[^\\W]", "\\b",
    "\u03c3", "\u03c2", "\u01c5", "\ufb05", "\u1fd3", "\u03b0", "\u0130", "\u0131", "I", "(a)\\1", "\u{10400}",
    "[\\u{10400}-\\u{10427}]", "[Z-a]"], ["i", "iu", "iv"], ["\u00c9", "\u1e9e", "\u00df", "K", K, "S", longS,
    "\u03a3", "\u03c2", "\u01c4", "\ufb06", "\u0390", "\u1fe3", "i\u0307", "I", "i", "\u0130", "aA", "\u{10428}",
    "_", "z"]],
  // Surrogates: a pair is one character with u, two units without
  [[".", "^.$", "^..$", "[^x]", "\\ud83d", "[\\ud83d]", "(?<=\\ud83d)", "\\ude00", "(?<!\\ud83d)\\ude00",
    "^[\\ud83d\\ude00]$", "\\B", "(?:)", ".\\b", "(.)\\1"], ["", "u", "s"], [S, "\ud83d", "\ude00",
    "\ud83d\ud83d\ude00", S + S, "a" + S, "\ude00\ud83d"]],
  // The flag v: sets, strings of more than one character
  [["[a-z&&[aeiou]]", "[a-z--[aeiou]]", "[[a-c][x-z]]", "[\\q{abc|d|}]", "[\\q{abc|ab|a}]x?", "[^\\q{a}]",
    "[^\\q{ab}]", "[\\p{L}--\\p{Lu}]", "[\\w&&\\d]", "[a--b--c]", "[a&&b--c]", "[(]", "[a&&&b]", "[!!]", "[\\!]",
    "\\p{Emoji_Keycap_Sequence}", "[\\p{Emoji_Keycap_Sequence}--\\q{0\ufe0f\u20e3}]", "\\P{RGI_Emoji}",
    "[a-z&&b-c]", "[]", "[^]"], ["v", "vi"], ["a", "b", "E", "abc", "abx", "d", "", "9", "0\ufe0f\u20e3",
    "1\ufe0f\u20e3", "!", "x"]],
  // Sticky: only at the place itself
  [["a", "^a", "(?<=b)a", "a|b", "$"], ["y", "my", "uy"], ["a", "ba", "", "\na"]],
  // Mistakes
  [["(", ")", "(?", "(?:", "(?<", "(?<!", "*", "+", "?", "a**", "a{2}{3}", "^*", "$+", "\\b?", "(?=a)*", "(?!a)+",
    "(?<=a)*", "(?<!a)+", "{1}", "a{2,1}", "\\", "[b-a]", "(?a)", "(?<a>", "a{99999999999999999999}", "\\u{",
    "\\xg", "[\\d-\\w]"], ["", "u", "v"], ["a", ""]],
];
const rows = [];
for (const [patterns, flags, texts] of clauses)
  for (const pattern of patterns)
    for (const flag of flags) {
      let re;
      try { re = new RegExp(pattern, flag + "d"); } catch (e) {
        rows.push([pattern, flag, "", "ERR " + e.message.replace(/^Invalid regular expression: \/.*\/[a-z]*: /s, "")]);
        continue;
      }
      for (const text of texts) {
        re.lastIndex = 0;
        const m = re.exec(text);
        rows.push([pattern, flag, text, m && [...m.indices].map((b) => b ?? null)]);
      }
    }
const escaped = (s) => s.replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
export default { fetch() { return new Response("[\n" + rows.map((r) => escaped(JSON.stringify(r))).join(",\n") + "\n]\n"); } };
