// Each line is logged, and answered as JSON.stringify has it.
const lines = ["plain", "", 'a "quote"', "back\\slash", "line\nbreak", "tab\t", "\u0000\u001f", "\u007f", "über", "\u2028",
	"\ud800", "a\ud83d\ude00", 12, -0, 1.5, true, null, undefined, [1, "x"], { a: "b" }];
export default {
	fetch() {
		for (const line of lines) console.log(line, "and", line);
		return Response.json(lines.map((line) => {
			const text = line === undefined ? "null" : JSON.stringify(line);
			return `[${text},"and",${text}]`;
		}));
	},
};
