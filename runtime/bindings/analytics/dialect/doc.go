// Package dialect runs the SQL of Analytics Engine's SQL API, which is ClickHouse's as far as Cloudflare documents it:
// SELECT over one table or a subquery, SHOW TABLES, SHOW TIMEZONES, the documented functions and operators, and the
// formats JSON, JSONEachRow and TabSeparated. What the documentation does not have is refused by name.
//
// # Nouns
//
//   - A [Statement] is a parsed text: a tree of nodes.
//   - A kind is the type of a value as ClickHouse names it; an expr is a node that was compiled: its kind is known and
//     it computes a value from a frame, which is a row, or a group's keys and aggregates.
//   - An aggregate is a slot of a group, filled by an accumulator.
//   - [Data] is where rows come from.
//
// # Life cycle and threads
//
// [Parse], then [Statement.Run], then [Answer.Write]. Nothing is kept between them, nothing is shared, and one
// goroutine does it all. Texts come from anybody: depth and length are bounded, and a context ends what takes too long.
//
// # Why not SQLite's own SQL
//
// The points lie in SQLite, but the dialect has kinds (an integer division that depends on them, dates with zones,
// arrays, quoted 64-bit integers), aliases that count everywhere and aggregates with parameters. A translation would
// have to know the kind of every expression first; then computing it is the smaller half.
package dialect
