// Intl for en-US: locales and options, which the other parts share. Called with (core, native, sys).
(function (core, native, sys) {
	"use strict";
	const { methods } = core;
	const define = Object.defineProperty;
	const isObject = (v) => v !== null && (typeof v === "object" || typeof v === "function");

	// Language tags: language, script, region, variants, extensions, private use (BCP 47, Unicode locale ids).
	const TAG = new RegExp("^([a-z]{2,3}|[a-z]{5,8})(?:-([a-z]{4}))?(?:-([a-z]{2}|\\d{3}))?" +
		"((?:-(?:[a-z\\d]{5,8}|\\d[a-z\\d]{3}))*)((?:-[a-wy-z\\d](?:-[a-z\\d]{2,8})+)*)(-x(?:-[a-z\\d]{1,8})+)?$", "i");
	const OLD = { iw: "he", in: "id", ji: "yi", no: "nb", mo: "ro", tl: "fil" };
	function parseTag(tag) {
		const m = TAG.exec(tag);
		if (m === null) throw new RangeError("Incorrect locale information provided");
		let language = m[1].toLowerCase();
		language = language !== "no" && OLD[language] || language;
		const title = m[2] && m[2][0].toUpperCase() + m[2].slice(1).toLowerCase();
		const keywords = {};
		const unicode = /-u((?:-[a-z\d]{2,8})+)/i.exec(m[5] || "");
		if (unicode) {
			let key;
			for (const part of unicode[1].slice(1).toLowerCase().split("-")) {
				if (part.length === 2) keywords[key = part] = "";
				else if (key) keywords[key] += (keywords[key] && "-") + part;
			}
		}
		const base = [language, title, m[3] && m[3].toUpperCase()].filter(Boolean).join("-") +
			(m[4] || "").toLowerCase();
		return { language, script: title, region: m[3] && m[3].toUpperCase(), variants: (m[4] || "").slice(1), base,
			keywords,
			rest: (m[5] || "").toLowerCase(), full: base + (m[5] || "").toLowerCase() + (m[6] || "").toLowerCase() };
	}
	function canonicalList(locales) {
		if (locales === undefined) return [];
		if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
		const list = typeof locales === "string" || isObject(locales) && tagOf(locales) !== undefined ? [locales] :
			Array.from(Object(locales));
		const out = [];
		for (const l of list) {
			if (typeof l !== "string" && !isObject(l)) throw new TypeError("Incorrect locale information provided");
			const tag = parseTag(tagOf(l) ?? String(l)).full;
			if (!out.includes(tag)) out.push(tag);
		}
		return out;
	}
	// Only English data is here: en and en-US are themselves, every other locale falls back to en-US.
	function resolve(locales) {
		for (const tag of canonicalList(locales)) {
			const t = parseTag(tag);
			if (t.base === "en" || t.base === "en-US") return { locale: t.base, keywords: t.keywords };
		}
		return { locale: "en-US", keywords: {} };
	}
	function supported(locales) {
		return canonicalList(locales).filter(
			(tag) => { const b = parseTag(tag).base; return b === "en" || b === "en-US"; });
	}
	function option(options, key, allowed, fallback, where) {
		let v = options[key];
		if (v === undefined) return fallback;
		v = String(v);
		if (allowed !== undefined && !allowed.includes(v)) throw new RangeError(
			"Value " + v + " out of range for " + where + " options property " + key);
		return v;
	}
	function numberOption(options, key, min, max, fallback) {
		const v = options[key];
		if (v === undefined) return fallback;
		const n = Number(v);
		if (!(n >= min && n <= max)) throw new RangeError(key + " value is out of range.");
		return Math.floor(n);
	}
	function objectOf(options) {
		if (options === undefined) return Object.create(null);
		if (options === null) throw new TypeError("Cannot convert undefined or null to object");
		return Object(options);
	}

	const Intl = {};
	define(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
	methods(Intl, {
		getCanonicalLocales(locales) { return canonicalList(locales); },
		supportedValuesOf(key) {
			key = `${key}`;
			const lists = {
				calendar: ["gregory", "iso8601"], collation: ["emoji", "eor"], currency: sys.currencies(),
					numberingSystem: ["latn"],
				timeZone: sys.zones(), unit: sys.units(),
			};
			if (!Object.hasOwn(lists, key)) throw new RangeError("Invalid key : " + key);
			return lists[key];
		},
	});
	define(Intl.supportedValuesOf, "length", { value: 1 });
	define(Intl.getCanonicalLocales, "length", { value: 1 });

	class Given { constructor(o) { return o; } }
	class Slot extends Given {
		#state;
		constructor(o, state) { super(o); this.#state = state; }
		static get(o) { return isObject(o) && #state in o ? o.#state : undefined; }
	}
	const tagOf = (o) => { const s = Slot.get(o); return s && s.kind === "Locale" ? s.tag.full : undefined; };

	// service makes one Intl constructor. init gives the state from (locales, options); proto are its methods, which
	// get the state through self(this).
	function service(name, length, callable, init, proto) {
		const self = (o, method) => {
			const s = Slot.get(o);
			if (s === undefined || s.kind !== name) throw new TypeError(
				"Method Intl." + name + ".prototype." + method + " called on incompatible receiver " + core.show(o));
			return s;
		};
		const ctor = { [name]: function (locales, options) {
			if (new.target === undefined && !callable) throw new TypeError(
				"Constructor Intl." + name + " requires 'new'");
			const o = new.target === undefined ? Object.create(ctor.prototype) : this;
			const state = init(locales, options);
			state.kind = name;
			new Slot(o, state);
			return o;
		} }[name];
		define(ctor, "length", { value: length });
		define(ctor, "prototype", { writable: false, enumerable: false });
		const p = proto(self);
		if (name !== "Locale") methods(ctor, { supportedLocalesOf(locales) { return supported(locales); } });
		methods(ctor.prototype, p);
		define(ctor.prototype, "constructor", { value: ctor, writable: true, enumerable: false, configurable: true });
		define(ctor.prototype, Symbol.toStringTag, { value: "Intl." + name, configurable: true });
		native(ctor);
		define(Intl, name, { value: ctor, writable: true, enumerable: false, configurable: true });
		return ctor;
	}

	const LIKELY = { en: "Latn-US", de: "Latn-DE", fr: "Latn-FR", es: "Latn-ES", it: "Latn-IT", pt: "Latn-BR",
		nl: "Latn-NL", ja: "Jpan-JP", ko: "Kore-KR", zh: "Hans-CN", ru: "Cyrl-RU", ar: "Arab-EG", he: "Hebr-IL",
		hi: "Deva-IN", tr: "Latn-TR", pl: "Latn-PL", sv: "Latn-SE", da: "Latn-DK", nb: "Latn-NO", fi: "Latn-FI",
		cs: "Latn-CZ", uk: "Cyrl-UA", el: "Grek-GR", th: "Thai-TH", vi: "Latn-VN", id: "Latn-ID", hu: "Latn-HU",
		ro: "Latn-RO" };
	service("Locale", 1, false, (tag, options) => {
		if (typeof tag !== "string" && !isObject(tag)) throw new TypeError(
			"First argument to Intl.Locale constructor can't be empty or missing");
		const t = parseTag(tagOf(tag) ?? String(tag));
		const o = objectOf(options);
		const parts = { language: t.language, script: t.script, region: t.region };
		for (const k of ["language", "script", "region"]) if (o[k] !== undefined) parts[k] = String(o[k]);
		const keys = { ...t.keywords };
		for (const [k, u] of [["calendar", "ca"], ["collation", "co"], ["hourCycle", "hc"], ["caseFirst", "kf"],
			["numeric", "kn"], ["numberingSystem", "nu"]]) {
			if (o[k] !== undefined) keys[u] = k === "numeric" ? (o[k] ? "" : "false") : String(o[k]);
		}
		const base = [parts.language, parts.script, parts.region, t.variants].filter(Boolean).join("-");
		const ext = Object.keys(keys).sort().map(
			(k) => "-" + k + (keys[k] && keys[k] !== "true" ? "-" + keys[k] : "")).join("");
		return { tag: parseTag(base + (ext ? "-u" + ext : "")) };
	}, (self) => {
		const make = (s) => new Intl.Locale(s);
		const keyword = (o, name, k) => self(o, name).tag.keywords[k];
		return {
			toString() { return self(this, "toString").tag.full; },
			get baseName() { return self(this, "baseName").tag.base; },
			get language() { return self(this, "language").tag.language; },
			get script() { return self(this, "script").tag.script; },
			get region() { return self(this, "region").tag.region; },
			get variants() { return self(this, "variants").tag.variants || undefined; },
			get calendar() { return keyword(this, "calendar", "ca"); },
			get collation() { return keyword(this, "collation", "co"); },
			get hourCycle() { return keyword(this, "hourCycle", "hc"); },
			get caseFirst() { return keyword(this, "caseFirst", "kf"); },
			get numeric() { const k = keyword(this, "numeric", "kn"); return k === "" || k === "true"; },
			get numberingSystem() { return keyword(this, "numberingSystem", "nu"); },
			maximize() {
				const t = self(this, "maximize").tag;
				let likely = (LIKELY[t.language] || "").split("-");
				if (t.language === "zh" && (t.region === "TW" || t.region === "HK" || t.region === "MO")) likely =
					["Hant", t.region];
				if (t.language === "zh" && t.script === "Hant" && !t.region) likely = ["Hant", "TW"];
				return make([t.language, t.script || likely[0], t.region || likely[1]].filter(Boolean).join("-") +
					t.rest);
			},
			minimize() {
				const t = self(this, "minimize").tag;
				const [script, region] = (LIKELY[t.language] || "").split("-");
				return make([t.language, t.script === script ? "" : t.script,
					t.region === region ? "" : t.region].filter(Boolean).join("-") + t.rest);
			},
		};
	});
	return { Intl, service, resolve, option, numberOption, objectOf, isObject, Slot, methods };
})
