// Intl.Collator, Segmenter, ListFormat, RelativeTimeFormat, DisplayNames. Called with (intl, number, sys).
(function (intl, number, sys) {
	"use strict";
	const { Intl, service, resolve, option, objectOf, isObject, methods } = intl;
	const join = (list) => { let out = ""; for (const p of list) out += p.value; return out; };

	service("Collator", 0, true, (locales, options) => {
		const r = resolve(locales), o = objectOf(options), W = "Intl.Collator";
		const numeric = o.numeric === undefined ? r.keywords.kn !== undefined && r.keywords.kn !== "false" :
			Boolean(o.numeric);
		const s = { locale: r.locale, usage: option(o, "usage", ["sort", "search"], "sort", W),
			sensitivity: option(o, "sensitivity", ["base", "accent", "case", "variant"], "variant", W),
			ignorePunctuation: Boolean(o.ignorePunctuation), collation: "default", numeric,
				caseFirst: option(o, "caseFirst", ["upper", "lower", "false"], "false", W) };
		s.key = s.sensitivity + (s.numeric ? "n" : "") + (s.ignorePunctuation ? "p" : "") +
			(s.caseFirst === "upper" ? "u" : "");
		return s;
	}, (self) => ({
		get compare() {
			const s = self(this, "compare");
			return s.bound ??= (a, b) => sys.compare(`${a}`, `${b}`, s.key);
		},
		resolvedOptions() {
			const { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst } =
				self(this, "resolvedOptions");
			return { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst };
		},
	}));

	const SegmentsPrototype = {}, IteratorProto = Object.create(Iterator.prototype);
	const slot = intl.Slot;
	service("Segmenter", 0, false, (locales, options) => {
		const o = objectOf(options);
		return { locale: resolve(locales).locale,
			granularity: option(o, "granularity", ["grapheme", "word", "sentence"], "grapheme", "Intl.Segmenter") };
	}, (self) => ({
		segment(input) {
			const s = self(this, "segment"), text = `${input}`;
			const o = Object.create(SegmentsPrototype);
			new slot(o, { kind: "Segments", text, granularity: s.granularity, breaks: undefined });
			return o;
		},
		resolvedOptions() { const { locale, granularity } = self(this, "resolvedOptions");
			return { locale, granularity }; },
	}));
	// breaks is [end, wordLike, end, wordLike, …]
	const breaksOf = (s) => s.breaks ??= sys.segment(s.text, s.granularity);
	function item(s, from, i) {
		const out = { segment: s.text.slice(from, s.breaks[i]), index: from, input: s.text };
		if (s.granularity === "word") out.isWordLike = s.breaks[i + 1] === 1;
		return out;
	}
	methods(SegmentsPrototype, {
		containing(index = undefined) {
			const s = slot.get(this), n = Math.trunc(Number(index)) || 0;
			if (n < 0 || n >= s.text.length) return undefined;
			const b = breaksOf(s);
			let from = 0;
			for (let i = 0; i < b.length; i += 2) {
				if (n < b[i]) return item(s, from, i);
				from = b[i];
			}
		},
		[Symbol.iterator]() {
			const s = slot.get(this), it = Object.create(IteratorProto);
			new slot(it, { s, from: 0, i: 0 });
			return it;
		},
	});
	methods(IteratorProto, {
		next() {
			const it = slot.get(this), b = breaksOf(it.s);
			if (it.i >= b.length) return { value: undefined, done: true };
			const value = item(it.s, it.from, it.i);
			it.from = b[it.i];
			it.i += 2;
			return { value, done: false };
		},
	});
	Object.defineProperty(IteratorProto, Symbol.toStringTag,
		{ value: "Segmenter String Iterator", configurable: true });

	service("ListFormat", 0, false, (locales, options) => {
		const o = objectOf(options), W = "Intl.ListFormat";
		return { locale: resolve(locales).locale,
			type: option(o, "type", ["conjunction", "disjunction", "unit"], "conjunction", W),
			style: option(o, "style", ["long", "short", "narrow"], "long", W) };
	}, (self) => {
		const parts = (s, list) => {
			const items = [];
			if (list !== undefined) for (const x of list) {
				if (typeof x !== "string") throw new TypeError(
					"Iterable yielded " + String(x) + " which is not a string");
				items.push(x);
			}
			const word = s.type === "disjunction" ? "or" : s.type === "unit" ? "" : s.style === "long" ? "and" :
				s.style === "short" ? "&" : "";
			const narrowUnit = s.type === "unit" && s.style === "narrow";
			const middle = narrowUnit ? " " : ", ";
			const last = word ? ", " + word + " " : middle, pair = word ? " " + word + " " : middle;
			const out = [];
			items.forEach((value, i) => {
				if (i > 0) out.push({ type: "literal",
					value: items.length === 2 ? pair : i === items.length - 1 ? last : middle });
				out.push({ type: "element", value });
			});
			return out;
		};
		return {
			format(list) { return join(parts(self(this, "format"), list)); },
			formatToParts(list) { return parts(self(this, "formatToParts"), list); },
			resolvedOptions() { const { locale, type, style } = self(this, "resolvedOptions");
				return { locale, type, style }; },
		};
	});

	const SHORT = { second: ["sec.", "sec."], minute: ["min.", "min."], hour: ["hr.", "hr."], day: ["day", "days"],
		week: ["wk.", "wk."], month: ["mo.", "mo."], quarter: ["qtr.", "qtrs."], year: ["yr.", "yr."] };
	const NARROW = { second: "s", minute: "min", hour: "h", day: "d", week: "w", month: "mo", quarter: "q", year: "y" };
	const AUTO = { day: ["yesterday", "today", "tomorrow"], year: ["last year", "this year", "next year"],
		quarter: ["last quarter", "this quarter", "next quarter"], month: ["last month", "this month", "next month"],
		week: ["last week", "this week", "next week"], hour: [, "this hour"], minute: [, "this minute"],
		second: [, "now"] };
	const AUTOSHORT = { year: ["last yr.", "this yr.", "next yr."], quarter: ["last qtr.", "this qtr.", "next qtr."],
		month: ["last mo.", "this mo.", "next mo."], week: ["last wk.", "this wk.", "next wk."] };
	const numberFormat = new Intl.NumberFormat("en-US");
	service("RelativeTimeFormat", 0, false, (locales, options) => {
		const o = objectOf(options), W = "Intl.RelativeTimeFormat";
		return { locale: resolve(locales).locale, style: option(o, "style", ["long", "short", "narrow"], "long", W),
			numeric: option(o, "numeric", ["always", "auto"], "always", W) };
	}, (self) => {
		const parts = (s, value, unit, method) => {
			const n = Number(value);
			unit = `${unit}`;
			const u = unit.endsWith("s") ? unit.slice(0, -1) : unit;
			if (!Object.hasOwn(SHORT, u)) throw new RangeError(
				"Invalid unit argument for Intl.RelativeTimeFormat.prototype." + method + "() '" + unit + "'");
			if (!Number.isFinite(n)) throw new RangeError("Invalid number value");
			if (s.numeric === "auto") {
				const table = s.style !== "long" && AUTOSHORT[u] || AUTO[u];
				const word = n === -1 ? table[0] : n === 0 ? table[1] : n === 1 ? table[2] : undefined;
				if (word !== undefined) return [{ type: "literal", value: word }];
			}
			const past = n < 0 || Object.is(n, -0), a = Math.abs(n), one = a === 1;
			const text = s.style === "long" ? " " + u + (one ? "" : "s") : s.style === "short" ? " " +
				SHORT[u][one ? 0 : 1] : NARROW[u] === "min" ? "m" : NARROW[u];
			const body = numberFormat.formatToParts(a).map((p) => ({ ...p, unit: u }));
			return past ? [...body, { type: "literal", value: text + " ago" }] :
				[{ type: "literal", value: "in " }, ...body, { type: "literal", value: text }];
		};
		return {
			format(value, unit) { return join(parts(self(this, "format"), value, unit, "format")); },
			formatToParts(value, unit) { return parts(self(this, "formatToParts"), value, unit, "formatToParts"); },
			resolvedOptions() { const { locale, style, numeric } = self(this, "resolvedOptions");
				return { locale, style, numeric, numberingSystem: "latn" }; },
		};
	});

	const CALENDARS = { gregory: "Gregorian Calendar", iso8601: "ISO-8601 Calendar", buddhist: "Buddhist Calendar",
		chinese: "Chinese Calendar", hebrew: "Hebrew Calendar", japanese: "Japanese Calendar" };
	const FIELDS = { era: "era", year: "year", quarter: "quarter", month: "month", weekOfYear: "week",
		weekday: "day of the week", day: "day", dayPeriod: "AM/PM", hour: "hour", minute: "minute", second: "second",
		timeZoneName: "time zone" };
	service("DisplayNames", 2, false, (locales, options) => {
		if (!isObject(options)) throw new TypeError(
			options === undefined ? "Cannot convert undefined or null to object" : "Incorrect DisplayNames options");
		const W = "Intl.DisplayNames";
		const s = { locale: resolve(locales).locale,
			style: option(options, "style", ["narrow", "short", "long"], "long", W),
			type: option(options, "type", ["language", "region", "script", "currency", "calendar", "dateTimeField"],
			undefined, W),
			fallback: option(options, "fallback", ["code", "none"], "code", W),
				languageDisplay: option(options, "languageDisplay", ["dialect", "standard"], "dialect", W) };
		if (s.type === undefined) throw new TypeError("Required option \"type\" must not be undefined");
		return s;
	}, (self) => ({
		of(code) {
			const s = self(this, "of");
			code = `${code}`;
			const bad = () => { throw new RangeError("Invalid argument to Intl.DisplayNames.prototype.of"); };
			let name;
			switch (s.type) {
				case "region": if (!/^([a-z]{2}|\d{3})$/i.test(code)) bad(); code = code.toUpperCase();
					name = sys.displayName("region", code); break;
				case "script": if (!/^[a-z]{4}$/i.test(code)) bad();
					code = code[0].toUpperCase() + code.slice(1).toLowerCase(); name = sys.displayName("script", code);
					break;
				case "currency": if (!/^[a-z]{3}$/i.test(code)) bad(); code = code.toUpperCase();
					name = sys.currencyName(code, undefined); if (name === code) name = undefined; break;
				case "language": code = Intl.getCanonicalLocales(code)[0]; name = sys.displayName("language", code);
					break;
				case "calendar": name = CALENDARS[code]; break;
				default: if (!Object.hasOwn(FIELDS, code)) bad(); name = FIELDS[code];
			}
			return name ?? (s.fallback === "code" ? code : undefined);
		},
		resolvedOptions() {
			const { locale, style, type, fallback, languageDisplay } = self(this, "resolvedOptions");
			return type === "language" ? { locale, style, type, fallback, languageDisplay } : {
				locale, style, type, fallback };
		},
	}));
})
