// Intl.DateTimeFormat and Date.prototype.toLocale…String. Called with (intl, sys).
(function (intl, sys) {
	"use strict";
	const { service, resolve, option, numberOption, objectOf } = intl;
	const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"];
	const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
	const TEXT = ["narrow", "short", "long"], DIGIT = ["2-digit", "numeric"];
	const FIELDS = [["weekday", TEXT], ["era", TEXT], ["year", DIGIT], ["month", [...DIGIT, ...TEXT]], ["day", DIGIT],
		["dayPeriod", TEXT], ["hour", DIGIT], ["minute", DIGIT], ["second", DIGIT]];
	const NAMES = ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"];
	const NB = "\u202f";

	function init(locales, options, required, defaults, where = "Intl.DateTimeFormat") {
		const r = resolve(locales), o = objectOf(options);
		const s = { locale: r.locale };
		const hour12 = o.hour12 === undefined ? undefined : Boolean(o.hour12);
		let hc = option(o, "hourCycle", ["h11", "h12", "h23", "h24"], undefined, where);
		if (hc === undefined && ["h11", "h12", "h23", "h24"].includes(r.keywords.hc)) hc = r.keywords.hc;
		option(o, "calendar", undefined, undefined, where);
		let zone = o.timeZone;
		zone = zone === undefined ? sys.defaultZone() : String(zone);
		s.timeZone = sys.canonicalZone(zone);
		if (s.timeZone === undefined) throw new RangeError("Invalid time zone specified: " + zone);
		let any = false;
		for (const [k, allowed] of FIELDS) {
			s[k] = option(o, k, allowed, undefined, where);
			any ||= s[k] !== undefined;
		}
		s.fractionalSecondDigits = numberOption(o, "fractionalSecondDigits", 1, 3, undefined);
		s.timeZoneName = option(o, "timeZoneName", NAMES, undefined, where);
		any ||= s.fractionalSecondDigits !== undefined;
		s.dateStyle = option(o, "dateStyle", ["full", "long", "medium", "short"], undefined, where);
		s.timeStyle = option(o, "timeStyle", ["full", "long", "medium", "short"], undefined, where);
		if (s.dateStyle !== undefined || s.timeStyle !== undefined) {
			if (any || s.timeZoneName !== undefined) {
				const k = FIELDS.map((f) => f[0]).find((f) => s[f] !== undefined) ||
					(s.fractionalSecondDigits !== undefined ? "fractionalSecondDigits" : "timeZoneName");
				throw new TypeError("Can't set option " + k + " when " +
					(s.dateStyle !== undefined ? "dateStyle" : "timeStyle") + " is used");
			}
			if (required === "date" && s.timeStyle !== undefined) throw new TypeError("Invalid option : timeStyle");
			if (required === "time" && s.dateStyle !== undefined) throw new TypeError("Invalid option : dateStyle");
		} else {
			const date = s.weekday || s.year || s.month || s.day,
				time = s.dayPeriod || s.hour || s.minute || s.second || s.fractionalSecondDigits;
			const missing = required === "date" ? !date : required === "time" ? !time : !date && !time;
			if (missing) {
				if (defaults !== "time") s.year = s.month = s.day = "numeric";
				if (defaults !== "date") { s.hour = "numeric"; s.minute = s.second = "2-digit"; }
			}
		}
		s.hourCycle = hour12 === undefined ? hc || "h12" : hour12 ? "h12" : "h23";
		s.twelve = s.hourCycle === "h12" || s.hourCycle === "h11";
		s.styled = s.dateStyle !== undefined || s.timeStyle !== undefined;
		if (s.styled) Object.assign(s, style(s));
		return s;
	}
	function style(s) {
		const f = {};
		switch (s.dateStyle) {
			case "full": f.weekday = "long"; // falls through
			case "long": f.month = "long"; f.day = "numeric"; f.year = "numeric"; break;
			case "medium": f.month = "short"; f.day = "numeric"; f.year = "numeric"; break;
			case "short": f.month = "numeric"; f.day = "numeric"; f.year = "2-digit"; break;
		}
		switch (s.timeStyle) {
			case "full": f.timeZoneName = "long"; f.hour = "numeric"; f.minute = f.second = "2-digit"; break;
			case "long": f.timeZoneName = "short"; f.hour = "numeric"; f.minute = f.second = "2-digit"; break;
			case "medium": f.hour = "numeric"; f.minute = f.second = "2-digit"; break;
			case "short": f.hour = "numeric"; f.minute = "2-digit"; break;
		}
		return f;
	}
	const two = (n) => String(n).padStart(2, "0");
	function fieldsOf(s, ms) {
		const z = sys.zoneAt(s.timeZone, ms);
		const t = new Date(ms + z.offset * 1000);
		return { ms, zone: z, year: t.getUTCFullYear(), month: t.getUTCMonth(), day: t.getUTCDate(),
			weekday: t.getUTCDay(), hour: t.getUTCHours(), minute: t.getUTCMinutes(), second: t.getUTCSeconds(),
			milli: t.getUTCMilliseconds() };
	}
	function zoneName(s, f) {
		const o = f.zone.offset, sign = o < 0 ? "-" : "+", a = Math.abs(o), h = Math.floor(a / 3600),
			m = Math.floor(a / 60) % 60;
		switch (s.timeZoneName) {
			case "shortOffset": return "GMT" + (o === 0 ? "" : sign + h + (m ? ":" + two(m) : ""));
			case "longOffset": return "GMT" + (o === 0 ? "" : sign + two(h) + ":" + two(m));
			case "long": case "longGeneric": return f.zone.long || "GMT" +
				(o === 0 ? "" : sign + two(h) + ":" + two(m));
		}
		return f.zone.short || "GMT" + (o === 0 ? "" : sign + h + (m ? ":" + two(m) : ""));
	}
	const PERIODS = ["in the morning", "in the afternoon", "in the evening", "at night"];
	function period(s, f) {
		if (s.dayPeriod === undefined) return f.hour < 12 ? "AM" : "PM";
		const h = f.hour;
		if (h === 12 && f.minute === 0) return s.dayPeriod === "narrow" ? "n" : "noon";
		return PERIODS[h < 12 ? 0 : h < 18 ? 1 : h < 21 ? 2 : 3];
	}
	function dateParts(s, f, out) {
		const lit = (v) => out.push({ type: "literal", value: v });
		const year = () => {
			const y = f.year <= 0 && s.era !== undefined ? 1 - f.year : f.year;
			out.push({ type: "year", value: s.year === "2-digit" ? two(Math.abs(y) % 100) : String(y) });
		};
		const day = () => out.push({ type: "day", value: s.day === "2-digit" ? two(f.day) : String(f.day) });
		const monthText = TEXT.includes(s.month);
		const month = () => out.push({ type: "month",
			value: s.month === "2-digit" ? two(f.month + 1) : s.month === "numeric" ? String(f.month + 1) :
			s.month === "long" ? MONTHS[f.month] : s.month === "narrow" ? MONTHS[f.month][0] :
			MONTHS[f.month].slice(0, 3) });
		const weekday = s.weekday && (s.weekday === "long" ? DAYS[f.weekday] : s.weekday === "narrow" ?
			DAYS[f.weekday][0] : DAYS[f.weekday].slice(0, 3));
		const rest = s.year || s.month || s.day;
		if (weekday && !(s.day && !s.month && !s.year)) {
			out.push({ type: "weekday", value: weekday });
			if (rest) lit(", ");
		}
		if (monthText) {
			month();
			if (s.day) { lit(" "); day(); }
			if (s.year) { lit(s.day ? ", " : " "); year(); }
		} else {
			let first = true;
			for (const [k, put] of [["month", month], ["day", day], ["year", year]]) {
				if (!s[k]) continue;
				if (!first) lit("/");
				first = false;
				put();
			}
			if (weekday && s.day && !s.month && !s.year) { lit(" "); out.push({ type: "weekday", value: weekday }); }
		}
		if (s.era && rest) { lit(" "); out.push({ type: "era", value: eraName(s.era, f.year) }); }
	}
	function eraName(form, year) {
		const i = year > 0 ? 0 : 1;
		return { long: ["Anno Domini", "Before Christ"], short: ["AD", "BC"], narrow: ["A", "B"] }[form][i];
	}
	function timeParts(s, f, out) {
		const lit = (v) => out.push({ type: "literal", value: v });
		let any = false;
		if (s.hour) {
			let h = f.hour;
			if (s.hourCycle === "h12") h = h % 12 || 12;
			else if (s.hourCycle === "h11") h %= 12;
			else if (s.hourCycle === "h24") h = h || 24;
			const wide = s.hour === "2-digit" || !s.twelve;
			out.push({ type: "hour", value: wide ? two(h) : String(h) });
			any = true;
		}
		if (s.minute) {
			if (any) lit(":");
			out.push({ type: "minute", value: any || s.second ? two(f.minute) : String(f.minute) });
			any = true;
		}
		if (s.second) {
			if (any) lit(":");
			out.push({ type: "second", value: any ? two(f.second) : String(f.second) });
			any = true;
		}
		if (s.fractionalSecondDigits) {
			if (s.second) lit(".");
			out.push({ type: "fractionalSecond",
				value: String(f.milli).padStart(3, "0").slice(0, s.fractionalSecondDigits) });
			any = true;
		}
		if (s.hour && s.twelve) {
			lit(s.dayPeriod ? " " : NB);
			out.push({ type: "dayPeriod", value: period(s, f) });
		} else if (s.dayPeriod && !s.hour) {
			if (any) lit(" ");
			out.push({ type: "dayPeriod", value: period(s, f) });
		}
		return any;
	}
	function parts(s, ms) {
		const f = fieldsOf(s, ms), out = [];
		const date = s.weekday || s.year || s.month || s.day,
			time = s.hour || s.minute || s.second || s.fractionalSecondDigits || s.dayPeriod;
		if (date) dateParts(s, f, out);
		else if (s.era) out.push({ type: "era", value: eraName(s.era, f.year) });
		if (date && time) {
			let sep = ", ";
			if (s.styled ? s.dateStyle === "full" || s.dateStyle === "long" : s.month === "long" && s.day) sep = " at ";
			else if (s.weekday && !s.year && !s.month && !s.day) sep = " ";
			out.push({ type: "literal", value: sep });
		}
		if (time) timeParts(s, f, out);
		if (s.timeZoneName) {
			if (out.length) out.push({ type: "literal", value: date && !time ? ", " : " " });
			out.push({ type: "timeZoneName", value: zoneName(s, f) });
		}
		return out;
	}
	function time(v) {
		const ms = v === undefined ? Date.now() : Number(v);
		if (!(Math.abs(ms) <= 8.64e15)) throw new RangeError("Invalid time value");
		return Math.trunc(ms) + 0;
	}
	// V8 prints a plain space where CLDR has a narrow no-break one, except in parts.
	const join = (list) => { let out = ""; for (const p of list) out += p.value === NB ? " " : p.value; return out; };
	function range(s, a, b) {
		const x = parts(s, a), y = parts(s, b), tag = (list, source) => list.map((p) => ({ ...p, source }));
		if (join(x) === join(y)) return tag(x, "shared");
		const fa = fieldsOf(s, a), fb = fieldsOf(s, b);
		const month = TEXT.includes(s.month),
			dateOnly = !(s.hour || s.minute || s.second || s.timeZoneName || s.weekday || s.fractionalSecondDigits);
		const dash = { type: "literal", value: "\u2009–\u2009", source: "shared" };
		if (month && dateOnly && s.day && fa.year === fb.year) {
			const year = s.year ? [{ type: "literal", value: ", ", source: "shared" },
				{ type: "year", value: x.find((p) => p.type === "year").value, source: "shared" }] : [];
			const cut = (list) => s.year ? list.slice(0, -2) : list;
			if (fa.month === fb.month) return [
				...tag([x[0], x[1]], "shared"), ...tag([x[2]], "startRange"), dash, ...tag([y[2]], "endRange"),
				...year];
			return [...tag(cut(x), "startRange"), dash, ...tag(cut(y), "endRange"), ...year];
		}
		const sameDay = fa.year === fb.year && fa.month === fb.month && fa.day === fb.day;
		if (sameDay && s.hour && !s.timeZoneName) {
			const i = x.findIndex((p) => p.type === "hour");
			let left = x.slice(i);
			if (s.twelve && fa.hour < 12 === fb.hour < 12) left = left.slice(0, -2);
			return [...tag(x.slice(0, i), "shared"), ...tag(left, "startRange"), dash,
				...tag(y.slice(y.findIndex((p) => p.type === "hour")), "endRange")];
		}
		return [...tag(x, "startRange"), dash, ...tag(y, "endRange")];
	}
	function ends(a, b) {
		if (a === undefined || b === undefined) throw new TypeError("startDate or endDate cannot be undefined");
		return [time(a), time(b)];
	}
	service("DateTimeFormat", 0, true, (l, o) => init(l, o, "any", "date"), (self) => ({
		get format() {
			const s = self(this, "format");
			return s.bound ??= (date) => join(parts(s, time(date)));
		},
		formatToParts(date) { return parts(self(this, "formatToParts"), time(date)); },
		formatRange(a, b) { const s = self(this, "formatRange"), [x, y] = ends(a, b); return join(range(s, x, y)); },
		formatRangeToParts(a, b) { const s = self(this, "formatRangeToParts"), [x, y] = ends(a, b);
			return range(s, x, y); },
		resolvedOptions() {
			const s = self(this, "resolvedOptions");
			const out = { locale: s.locale, calendar: "gregory", numberingSystem: "latn", timeZone: s.timeZone };
			if (s.hour) { out.hourCycle = s.hourCycle; out.hour12 = s.twelve; }
			if (s.styled) {
				for (const k of ["dateStyle", "timeStyle"]) if (s[k]) out[k] = s[k];
				return out;
			}
			for (const [k] of FIELDS) if (s[k]) out[k] = k === "minute" || k === "second" ?
				(s.hour || s.minute && k === "second" ? "2-digit" : s[k]) : s[k];
			if (s.fractionalSecondDigits) out.fractionalSecondDigits = s.fractionalSecondDigits;
			if (s.timeZoneName) out.timeZoneName = s.timeZoneName;
			return out;
		},
	}));
	const plain = Object.create(null);
	function format(ms, locales, options, required, defaults, name) {
		if (ms !== ms) return "Invalid Date";
		const s = locales === undefined && options === undefined ?
			plain[name] ??= init(undefined, undefined, required, defaults) :
			init(locales, options, required, defaults, "Date.prototype." + name);
		return join(parts(s, ms));
	}
	return { format };
})
