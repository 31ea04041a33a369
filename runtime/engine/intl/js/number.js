// Intl.NumberFormat, PluralRules and Number.prototype.toLocaleString. Called with (intl, sys).
(function (intl, sys) {
	"use strict";
	const { Intl, service, resolve, option, numberOption, objectOf } = intl;
	const W = "Intl.NumberFormat";
	const SYMBOLS = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", CNY: "CN¥", KRW: "₩", BRL: "R$", CAD: "CA$",
		AUD: "A$", MXN: "MX$", NZD: "NZ$", HKD: "HK$", TWD: "NT$", ILS: "₪", VND: "₫", PHP: "₱", XAF: "FCFA",
		XOF: "F\u202fCFA", XCD: "EC$", XPF: "CFPF" };
	const NARROW = { CAD: "$", AUD: "$", MXN: "$", NZD: "$", HKD: "$", TWD: "$", CNY: "¥", SEK: "kr", NOK: "kr",
		DKK: "kr", RUB: "₽", UAH: "₴", TRY: "₺", PLN: "zł", CZK: "Kč", HUF: "Ft", NGN: "₦", THB: "฿", ARS: "$",
		CLP: "$", COP: "$" };
	const SHORT = { byte: "byte", kilobyte: "kB", megabyte: "MB", gigabyte: "GB", terabyte: "TB", petabyte: "PB",
		bit: "bit", kilobit: "kb", megabit: "Mb", gigabit: "Gb", terabit: "Tb", celsius: "°C", fahrenheit: "°F",
		percent: "%", kilometer: "km", meter: "m", centimeter: "cm", millimeter: "mm", mile: "mi", foot: "ft",
		inch: "in", yard: "yd", gram: "g", kilogram: "kg", ounce: "oz", pound: "lb", stone: "st", liter: "L",
		milliliter: "mL", gallon: "gal", "fluid-ounce": "fl oz", second: "sec", minute: "min", hour: "hr",
		millisecond: "ms", microsecond: "μs", nanosecond: "ns", acre: "ac", hectare: "ha", degree: "deg", day: "day",
		week: "wk", month: "mth", year: "yr", "mile-scandinavian": "smi" };
	const SHORTPLURAL = { day: "days", week: "wks", month: "mths", year: "yrs" };
	const NARROWUNIT = { second: "s", minute: "m", hour: "h", day: "d", week: "w", month: "m", year: "y", celsius: "°C",
		fahrenheit: "°", byte: "B", bit: "bit", foot: "′", inch: "″", pound: "#", degree: "°" };
	const LONG = { foot: ["foot", "feet"], inch: ["inch", "inches"], celsius: ["degree Celsius", "degrees Celsius"],
		fahrenheit: ["degree Fahrenheit", "degrees Fahrenheit"], stone: ["stone", "stones"],
		"fluid-ounce": ["fluid ounce", "fluid ounces"],
		"mile-scandinavian": ["mile-scandinavian", "miles-scandinavian"], percent: ["percent", "percent"] };
	const PER = { "mile-per-hour": "mph", "kilometer-per-hour": "km/h", "mile-per-gallon": "mpg",
		"meter-per-second": "m/s" };
	const ROUNDING = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc",
		"halfEven"];
	const UNITS = sys.units();

	function digitOptions(o, minDefault, maxDefault, compact) {
		const r = { minimumIntegerDigits: numberOption(o, "minimumIntegerDigits", 1, 21, 1) };
		const minF = o.minimumFractionDigits, maxF = o.maximumFractionDigits, minS = o.minimumSignificantDigits,
			maxS = o.maximumSignificantDigits;
		r.roundingPriority = option(o, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto", W);
		r.roundingMode = option(o, "roundingMode", ROUNDING, "halfExpand", W);
		r.roundingIncrement = numberOption(o, "roundingIncrement", 1, 5000, 1);
		r.trailingZeroDisplay = option(o, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto", W);
		if (minS !== undefined || maxS !== undefined) {
			r.minimumSignificantDigits = numberOption(o, "minimumSignificantDigits", 1, 21, 1);
			r.maximumSignificantDigits =
				numberOption(o, "maximumSignificantDigits", r.minimumSignificantDigits, 21, 21);
			return r;
		}
		if (compact && minF === undefined && maxF === undefined) {
			r.minimumFractionDigits = 0; r.maximumFractionDigits = 0; r.compactRounding = true;
			return r;
		}
		let lo = numberOption(o, "minimumFractionDigits", 0, 100, undefined),
			hi = numberOption(o, "maximumFractionDigits", 0, 100, undefined);
		if (lo === undefined && hi === undefined) { lo = minDefault; hi = maxDefault; }
		else if (lo === undefined) lo = Math.min(minDefault, hi);
		else if (hi === undefined) hi = Math.max(maxDefault, lo);
		else if (lo > hi) throw new RangeError("maximumFractionDigits value is out of range.");
		r.minimumFractionDigits = lo; r.maximumFractionDigits = hi;
		return r;
	}
	// decimal rounds a non-negative decimal text.
	function decimal(r, text, scale) {
		let out;
		if (r.compactRounding) {
			const whole = text.replace(/\..*$/, "").replace(/^0+/, "");
			out = whole.length >= 2 ? sys.round(text, r.negative, r.roundingMode, 0, 0, -1, -1) :
				sys.round(text, r.negative, r.roundingMode, -1, -1, 1, 2);
		} else if (r.maximumSignificantDigits !== undefined) out =
			sys.round(text, r.negative, r.roundingMode, -1, -1, r.minimumSignificantDigits, r.maximumSignificantDigits);
		else out = sys.round(text, r.negative, r.roundingMode, r.minimumFractionDigits, r.maximumFractionDigits, -1,
			-1);
		let [whole, fraction] = out.split(".");
		whole = whole.padStart(r.minimumIntegerDigits, "0");
		if (r.trailingZeroDisplay === "stripIfInteger" && fraction !== undefined && /^0*$/.test(fraction)) fraction =
			undefined;
		return [whole, fraction];
	}
	function numberParts(parts, whole, fraction, grouping) {
		const n = whole.length;
		if (grouping === false || grouping === "min2" && n < 5 || n < 4) parts.push({ type: "integer", value: whole });
		else {
			const first = n % 3 || 3;
			parts.push({ type: "integer", value: whole.slice(0, first) });
			for (let i = first; i < n; i += 3) parts.push(
				{ type: "group", value: "," }, { type: "integer", value: whole.slice(i, i + 3) });
		}
		if (fraction !== undefined && fraction !== "") parts.push(
			{ type: "decimal", value: "." }, { type: "fraction", value: fraction });
	}
	function shift(text, by) {
		if (by === 0) return text;
		let [w, f = ""] = text.split(".");
		if (by > 0) { f = f.padEnd(by, "0"); w += f.slice(0, by); f = f.slice(by); }
		else { w = w.padStart(1 - by, "0"); f = w.slice(by) + f; w = w.slice(0, by); }
		w = w.replace(/^0+(?=\d)/, "");
		return f ? w + "." + f : w;
	}
	function exponentOf(text) {
		const [w, f = ""] = text.split(".");
		const t = w.replace(/^0+/, "");
		if (t) return t.length - 1;
		const i = f.search(/[1-9]/);
		return i < 0 ? 0 : -i - 1;
	}
	const COMPACT = [["", ""], ["K", "thousand"], ["M", "million"], ["B", "billion"], ["T", "trillion"]];
	function unitText(unit, display, one) {
		if (display === "long") {
			if (LONG[unit]) return LONG[unit][one ? 0 : 1];
			return unit + (one ? "" : "s");
		}
		if (display === "narrow" && NARROWUNIT[unit]) return NARROWUNIT[unit];
		return !one && SHORTPLURAL[unit] || SHORT[unit] || unit;
	}
	function unitParts(s, body, one) {
		const { unit, unitDisplay } = s;
		let text, space = unitDisplay !== "narrow";
		if (unit.includes("-per-")) {
			const [a, b] = unit.split("-per-");
			text = unitDisplay === "long" ? unitText(a, "long", one) + " per " + unitText(b, "long", true)
				: PER[unit] || unitText(a, unitDisplay, one) + "/" +
					({ second: "s", minute: "min", hour: "h", day: "d", week: "w", month: "m", year: "y" }[b] ||
					unitText(b, "short", true));
		} else {
			text = unitText(unit, unitDisplay, one);
			if (unitDisplay !== "long" && (unit === "celsius" || unit === "fahrenheit" || unit === "percent")) space =
				false;
		}
		if (unit === "percent" && unitDisplay !== "long") return [...body, { type: "unit", value: "%" }];
		if (space) body.push({ type: "literal", value: " " });
		return [...body, { type: "unit", value: text }];
	}

	function init(locales, options) {
		const r = resolve(locales), o = objectOf(options);
		const s = { locale: r.locale, style:
			option(o, "style", ["decimal", "percent", "currency", "unit"], "decimal", W) };
		const currency = option(o, "currency", undefined, undefined, W);
		if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(
			"Invalid currency code : " + currency);
		if (s.style === "currency" && currency === undefined) throw new TypeError(
			"Currency code is required with currency style.");
		const display = option(o, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol", W);
		const sign = option(o, "currencySign", ["standard", "accounting"], "standard", W);
		const unit = option(o, "unit", undefined, undefined, W);
		if (unit !== undefined && !unit.split("-per-").every((u) => UNITS.includes(u))) throw new RangeError(
			"Invalid unit argument for Intl.NumberFormat() '" + unit + "'");
		if (s.style === "unit" && unit === undefined) throw new TypeError("Unit is required with unit style.");
		const unitDisplay = option(o, "unitDisplay", ["short", "narrow", "long"], "short", W);
		if (s.style === "currency") Object.assign(
			s, { currency: currency.toUpperCase(), currencyDisplay: display, currencySign: sign });
		if (s.style === "unit") Object.assign(s, { unit, unitDisplay });
		s.notation = option(o, "notation", ["standard", "scientific", "engineering", "compact"], "standard", W);
		const cd = s.style === "currency" && s.notation === "standard" ? sys.currencyDigits(s.currency) : undefined;
		const min = cd ?? 0, max = cd ?? (s.style === "percent" ? 0 : 3);
		s.digits = digitOptions(o, min, max, s.notation === "compact");
		s.compactDisplay = option(o, "compactDisplay", ["short", "long"], "short", W);
		let g = o.useGrouping;
		const fallback = s.notation === "compact" ? "min2" : "auto";
		if (g === undefined) g = fallback;
		else if (g === true) g = "always";
		else if (g === false || g === null || g === 0 || g === "") g = false;
		else { g = String(g); if (g === "true" || g === "false") g = fallback;
			else if (!["min2", "auto", "always"].includes(g)) throw new RangeError(
			"Value " + g + " out of range for " + W + " options property useGrouping"); }
		s.useGrouping = g;
		s.signDisplay = option(o, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto", W);
		return s;
	}
	// parse gives {negative, text} or {special}; strings keep all their digits.
	function parse(v) {
		if (typeof v === "object" && v !== null || typeof v === "function") v = v[Symbol.toPrimitive] ?
			v[Symbol.toPrimitive]("number") : v.valueOf();
		if (typeof v === "bigint") return { negative: v < 0n, text: String(v < 0n ? -v : v) };
		if (typeof v === "string" && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(v)) {
			v = v.trim(); return { negative: v[0] === "-", text: v.replace(/^[+-]/, "").replace(/^0+(?=\d)/, "") }; }
		const n = Number(v);
		if (n !== n) return { special: "nan" };
		if (n === Infinity || n === -Infinity) return { special: "infinity", negative: n < 0 };
		return { negative: n < 0 || Object.is(n, -0), text: sys.decimal(Math.abs(n)) };
	}
	function parts(s, value) {
		const { negative, text, special } = parse(value);
		const d = Object.create(s.digits);
		d.negative = !!negative;
		let body = [], zero = false, one = false, compact = 0;
		if (special === "nan") body.push({ type: "nan", value: "NaN" });
		else if (special) body.push({ type: "infinity", value: "∞" });
		else {
			let t = s.style === "percent" ? shift(text, 2) : text, exponent = 0;
			const isZero = /^[0.]*$/.test(t);
			if (s.notation === "compact" && !isZero) {
				let e = Math.min(Math.floor(Math.max(exponentOf(t), 0) / 3), 4);
				let [w] = decimal(d, shift(t, -3 * e));
				if (w.length > 3 && e < 4) e++;
				compact = e;
				t = shift(t, -3 * e);
			} else if ((s.notation === "scientific" || s.notation === "engineering") && !isZero) {
				exponent = exponentOf(t);
				if (s.notation === "engineering") exponent = Math.floor(exponent / 3) * 3;
				t = shift(t, -exponent);
			}
			const [w, f] = decimal(d, t);
			zero = /^0*$/.test(w) && (f === undefined || /^0*$/.test(f));
			one = w === "1" && f === undefined;
			numberParts(body, w, f, s.useGrouping);
			if (compact) {
				if (s.compactDisplay === "long") body.push({ type: "literal", value: " " });
				body.push({ type: "compact", value: COMPACT[compact][s.compactDisplay === "long" ? 1 : 0] });
			}
			if (s.notation === "scientific" || s.notation === "engineering") {
				body.push({ type: "exponentSeparator", value: "E" });
				if (exponent < 0) body.push({ type: "exponentMinusSign", value: "-" });
				body.push({ type: "exponentInteger", value: String(Math.abs(exponent)) });
			}
		}
		let sign = "";
		switch (s.signDisplay) {
			case "auto": sign = negative ? "-" : ""; break;
			case "always": sign = negative ? "-" : "+"; break;
			case "exceptZero": sign = zero || special === "nan" ? "" : negative ? "-" : "+"; break;
			case "negative": sign = negative && !zero ? "-" : ""; break;
		}
		const signPart = sign && { type: sign === "-" ? "minusSign" : "plusSign", value: sign };
		if (s.style === "percent") body.push({ type: "percentSign", value: "%" });
		if (s.style === "unit") body = unitParts(s, body, one);
		if (s.style === "currency") {
			if (s.currencyDisplay === "name") body.push(
				{ type: "literal", value: " " }, { type: "currency", value: sys.currencyName(s.currency, one) });
			else {
				const symbol = s.currencyDisplay === "code" ? s.currency : s.currencyDisplay === "narrowSymbol" ?
					NARROW[s.currency] || SYMBOLS[s.currency] || s.currency : SYMBOLS[s.currency] || s.currency;
				const cur = [{ type: "currency", value: symbol }];
				if (/[A-Za-z]$/.test(symbol)) cur.push({ type: "literal", value: "\u00a0" });
				body = [...cur, ...body];
				if (sign === "-" && s.currencySign === "accounting") return [
					{ type: "literal", value: "(" }, ...body, { type: "literal", value: ")" }];
			}
		}
		return signPart ? [signPart, ...body] : body;
	}
	const join = (list) => { let out = ""; for (const p of list) out += p.value; return out; };
	function resolved(s) {
		const d = s.digits;
		const out = { locale: s.locale, numberingSystem: "latn", style: s.style };
		for (const k of ["currency", "currencyDisplay", "currencySign", "unit", "unitDisplay"]) if (
			s[k] !== undefined) out[k] = s[k];
		for (const k of ["minimumIntegerDigits", "minimumFractionDigits", "maximumFractionDigits",
			"minimumSignificantDigits", "maximumSignificantDigits"]) if (d[k] !== undefined) out[k] = d[k];
		out.useGrouping = s.useGrouping; out.notation = s.notation;
		if (s.notation === "compact") out.compactDisplay = s.compactDisplay;
		out.signDisplay = s.signDisplay;
		for (const k of ["roundingIncrement", "roundingMode", "roundingPriority", "trailingZeroDisplay"]) out[k] = d[k];
		return out;
	}
	function approximately(a, b) { return a === b ?
		[{ type: "approximatelySign", value: "~", source: "shared" }, { type: "literal", value: a, source: "shared" }] :
		undefined; }
	service("NumberFormat", 0, true, init, (self) => ({
		get format() {
			const s = self(this, "format");
			return s.bound ??= (value) => join(parts(s, value));
		},
		formatToParts(value) { return parts(self(this, "formatToParts"), value); },
		formatRange(start, end) {
			const s = self(this, "formatRange");
			if (start === undefined || end === undefined) throw new TypeError("start or end is undefined");
			const a = join(parts(s, start)), b = join(parts(s, end));
			return approximately(a, b) ? "~" + a : a + (s.style === "decimal" ? "–" : " – ") + b;
		},
		formatRangeToParts(start, end) {
			const s = self(this, "formatRangeToParts");
			const tag = (list, source) => list.map((p) => ({ ...p, source }));
			return [...tag(parts(s, start), "startRange"),
				{ type: "literal", value: s.style === "decimal" ? "–" : " – ", source: "shared" },
				...tag(parts(s, end), "endRange")];
		},
		resolvedOptions() { return resolved(self(this, "resolvedOptions")); },
	}));

	service("PluralRules", 0, false, (locales, options) => {
		const o = objectOf(options);
		return { locale: resolve(locales).locale === "en-US" && locales === undefined ? "en-US" : "en",
			type: option(o, "type", ["cardinal", "ordinal"], "cardinal", "Intl.PluralRules"),
			digits: digitOptions(o, 0, 3, false) };
	}, (self) => {
		const select = (s, n) => {
			const p = parse(n);
			if (p.special) return "other";
			const d = Object.create(s.digits);
			const [w, f] = decimal(d, p.text);
			if (s.type === "cardinal") return w === "1" && f === undefined ? "one" : "other";
			if (f !== undefined) return "other";
			const t = Number(w.slice(-2));
			return t % 10 === 1 && t !== 11 ? "one" : t % 10 === 2 && t !== 12 ? "two" : t % 10 === 3 && t !== 13 ?
				"few" : "other";
		};
		return {
			select(n) { return select(self(this, "select"), n); },
			selectRange(start, end) { return select(self(this, "selectRange"), end); },
			resolvedOptions() {
				const s = self(this, "resolvedOptions"), d = s.digits;
				const out = { locale: s.locale, type: s.type, notation: "standard" };
				for (const k of ["minimumIntegerDigits", "minimumFractionDigits", "maximumFractionDigits",
					"minimumSignificantDigits", "maximumSignificantDigits"]) if (d[k] !== undefined) out[k] = d[k];
				out.pluralCategories = s.type === "ordinal" ? ["few", "one", "two", "other"] : ["one", "other"];
				for (const k of ["roundingIncrement", "roundingMode", "roundingPriority", "trailingZeroDisplay"]) out[
					k] = d[k];
				return out;
			},
		};
	});
	const plain = init(undefined, undefined);
	return { format: (value, locales, options) =>
		join(parts(locales === undefined && options === undefined ? plain : init(locales, options), value)) };
})
