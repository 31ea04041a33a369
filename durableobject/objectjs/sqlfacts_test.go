package objectjs

import "testing"

var sqlObject = script("sqlfacts_sql_object.js")

// SQL1 to SQL16, each sentence that a script can see; the exact texts of errors are compared with the reference's in
// testdata/conformance.
func TestSQLFacts(t *testing.T) {
	const auth = "not authorized: SQLITE_AUTH"
	facts(t, config{classes: []string{"S"}}, sqlObject, [][2]string{
		{"sql1", "true,function,4096,function,function,true"},
		{"sql2", "4|1,2|3,4|0|done,value||a|4|2,4,6,8|1,2|1;2|1"},
		{"sql4", `{"b":3,"a":2,"2+3":5}|true|b,b|1,2`},
		{"sql5", "number|1.5|9223372036854776000|Infinity|3|\uFFFDA|1.2|0||1"},
		{"sql6", "integerinteger5.0real|[5.0]|5.0|null:null|real:Inf|null:null|null:null|text:true|text:[object " +
			"Object]|text:1,2|text:Invalid Date|0203|0304blob|TypeError: Cannot convert a BigInt value to a " +
			"number|TypeError: Cannot convert a Symbol value to a string"},
		{"sql7", "1,3,4|1,2,3,1|4|Wrong number of parameter bindings for SQL query.|Wrong number of parameter " +
			"bindings for SQL query.|Wrong number of parameter bindings for SQL query."},
		{"sql8", `{"a":1,"b":7}|no such table: nope: SQLITE_ERROR|2|` +
			`When executing multiple SQL statements in a single call, only the last statement can have parameters.` +
			"|SQL code did not contain a statement.|SQL code did not contain a statement.|SQL code did not contain " +
			"a statement.|SQL code did not contain a statement.|SQL code did not contain a statement.|SQL code did " +
			"not contain a statement.|1"},
		{"sql10", "true,true,true,true,true,true,true"},
		{"sql11", auth + "\nno error: 0\n" + auth + "\n" + auth + "\n" + auth + "\n" + auth +
			"\naccess to _cf_KV.key is prohibited: SQLITE_AUTH\nno such table: _cf_METADATA: SQLITE_ERROR\n" + auth +
			"\n" + auth + "\n" + auth + "\n" + auth + "\n" + auth +
			"\ncannot VACUUM from within a transaction: SQLITE_ERROR\n" + auth + "\n" + auth},
		{"sql12", "|1"},
		// SQL1, SQL11, SQL13
		{"sql13b", "undefined\nno such table: dbstat: SQLITE_ERROR\nno such table: sqlite_dbpage: SQLITE_ERROR\n" +
			"no such table: sqlite_dbpage: SQLITE_ERROR\n" +
			"not authorized to use function: soundex at offset 7: SQLITE_ERROR"},
		{"sql13", "\nnot authorized to use function: power at offset 7: SQLITE_ERROR\n" +
			"not authorized to use function: ceiling at offset 7: SQLITE_ERROR\n" +
			"not authorized to use function: log10 at offset 7: SQLITE_ERROR\n" +
			"not authorized to use function: sqlite_version at offset 7: SQLITE_ERROR\n" +
			"no such function: uuid at offset 7: SQLITE_ERROR\nno such function: median at offset 7: SQLITE_ERROR\n" +
			"not authorized: SQLITE_ERROR\nno such function: REGEXP at offset 11: SQLITE_ERROR\n" +
			"no such table: generate_series: SQLITE_ERROR"},
		{"sql14", "string or blob too big: SQLITE_TOOBIG\nno error: 1\nstatement too long: SQLITE_TOOBIG\n" +
			"too many columns on wide: SQLITE_ERROR\nno error: 0\n" +
			"Expression tree is too large (maximum depth 100): SQLITE_ERROR\n" +
			"too many terms in compound SELECT: SQLITE_ERROR\nno error: 5\n" +
			"LIKE or GLOB pattern too complex: SQLITE_ERROR\nno error: 1\nno error: 1\n" +
			"variable number must be between ?1 and ?100 at offset 7: SQLITE_ERROR\nno error: 1\n" +
			"too many arguments on function max at offset 7: SQLITE_ERROR"},
		{"sql15", "4096|1/2|0/3|3/3|3/0|8/4|0/2|1,2,3|0|true"},
		{"sql16", "a|a,b|database table is locked: SQLITE_LOCKED|2|2|0|database table is locked: SQLITE_LOCKED"},
		{"sql9", "UNIQUE constraint failed: p.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)\n" +
			"UNIQUE constraint failed: p.u: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)\n" +
			"NOT NULL constraint failed: p.n: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)\n" +
			"CHECK constraint failed: c < 10: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)\n" +
			"FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)\n" +
			"cannot store TEXT value in INTEGER column st.a: SQLITE_CONSTRAINT (extended: " +
			"SQLITE_CONSTRAINT_DATATYPE)\nincomplete input: SQLITE_ERROR\n" +
			"no such function: uuid at offset 7: SQLITE_ERROR\nno such column: zz at offset 7: SQLITE_ERROR"},
	})
}
