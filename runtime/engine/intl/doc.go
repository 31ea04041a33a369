// Package intl is Intl for the locale en-US, and the locale methods of Date, Number, BigInt and String (ECMA-402).
//
// Scripts (js/*.js) hold what is objects and options; Go computes: decimals, time zones, names of CLDR, collation, and
// segments (UAX 29). The scripts run at the first use, because they take some milliseconds and most requests need none
// of them. Other locales are resolved to en-US; docs/gaps.md says so.
//
// Everything belongs to the goroutine of its runtime; tables are shared by the process.
package intl
