package objectjs

import "testing"

var storageObject = script("storagefacts_storage_object.js")

// KV1 to KV16, TX1 to TX7, SQL1 to SQL18, AL1, AL2.
func TestStorageFacts(t *testing.T) {
	c := config{classes: []string{"S"}, kv: []string{"K"}}
	facts(t, c, storageObject+script("storagefacts_storage_facts.js"), [][2]string{
		{"kv1", "facets,container,storage,id,props,exports|kv,sql"},
		{"get", `1|{"x":1}|||[["a",1],["b",{"x":1}]]|0|` +
			`TypeError: Failed to execute 'get' on 'DurableObjectStorage': parameter 1 is not of type 'string or ` +
			`Array'.`},
		{"coerced", "five,empty"},
		{"put", "TypeError: put() called with undefined value.\nTypeError: put() called with undefined value.\n" +
			"TypeError: Failed to execute 'put' on 'DurableObjectStorage': parameter 1 is not of type 'string or " +
			"object'.\nTypeError: put() may only be called with a single key-value pair and optional options as " +
			"put(key, value, options) or with multiple key-value pairs and optional options as put(entries, " +
			"options)\nTypeError: put() called with undefined value.\n0"},
		{"delete", "true,false,1"},
		{"list", "10,9,B,a,\uffff,😀|B,a,\uffff,😀|a|10|😀,\uffff|10,9|10|10,9,B,a,\uffff,😀|"},
		{"listErrors", "TypeError: list() cannot be called with both start and startAfter values.\n" +
			"TypeError: List limit must be positive.\nTypeError: List limit must be positive.\n" +
			"TypeError: List limit must be positive.\nTypeError: List limit must be positive.\n" +
			"TypeError: List limit must be positive.\nTypeError: Value out of range. Must be between -2147483648 " +
			"and 2147483647 (inclusive).\nTypeError: Failed to execute 'list' on 'DurableObjectStorage': parameter " +
			"1 is not of type 'ListOptions'."},
		{"snapshot", "1,true,true"},
		{"clone", `{"x":1}|DataCloneError: () => 1 could not be cloned.|` +
			`DataCloneError: Could not serialize object of type "URL". This type does not support serialization.|` +
			`DataCloneError: ReadableStream can only be serialized for RPC.`},
		{"order", "put,get,micro,sync,t0"},
		{"deleteAll", "1||0|Error: SQLite query was canceled because the database was deleted."},
		{"transaction", "res\nError: no\nkept\nError: Cannot put() on rolled back transaction\n5\n" +
			"Error: Cannot call get() on transaction that has already committed: did you move `txn` outside of the " +
			"closure?\n2\n3\n1\n\nTypeError: Failed to execute 'transaction' on 'DurableObjectStorage': parameter 1 " +
			"is not of type 'function'.\nError: Cannot call deleteAll() within a transaction"},
		{"transactionSync", "Error: undo|7|1||TypeError: Failed to execute 'transactionSync' on " +
			"'DurableObjectStorage': parameter 1 is not of type 'function'."},
		{"sql", `{"done":false,"value":{"id":1,"v":"a","b":{}}}|1,2|[{"id":2,"v":"z","b":null}]|[]|id,v,b|[[1,"a"],` +
			`[2,"z"]]|{"2+3":5,"a":2}|real|truetrue|[[1],[2]]|done,value|Infinity|9007199254740992|true|true|2|2`},
		{"sqlErrors", "Error: near \"SELEC\": syntax error at offset 0: SQLITE_ERROR\n" +
			"Error: no such table: nope: SQLITE_ERROR\nError: no such column: zz at offset 7: SQLITE_ERROR\n" +
			"Error: UNIQUE constraint failed: t.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)\n" +
			"Error: Wrong number of parameter bindings for SQL query.\n" +
			"Error: When executing multiple SQL statements in a single call, only the last statement can have " +
			"parameters.\nError: SQL code did not contain a statement.\n" +
			"Error: To execute a transaction, please use the state.storage.transaction() or " +
			"state.storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT statements. The " +
			"JavaScript API is safer because it will automatically roll back on exceptions, and because it " +
			"interacts correctly with Durable Objects' automatic atomic write coalescing.\n" +
			"Error: no such table: _cf_KV: SQLITE_ERROR\nTypeError: Cannot convert a BigInt value to a number\n" +
			"TypeError: Cannot convert a Symbol value to a string\nError: not authorized: SQLITE_AUTH\n" +
			"Error: Expected exactly one result from SQL query, but got no results.\n" +
			"Error: Expected exactly one result from SQL query, but got multiple results."},
		{"syncKV", `2|1|a,1|Error: kv.list() iterator was invalidated because a new call to kv.list() was started. ` +
			`Only one kv.list() iterator can exist at a time.|[["b",2]]|true|false|` +
			`TypeError: Failed to execute 'put' on 'SyncKvStorage': parameter 2 is not of type 'Value'.|a,b`},
		{"bookmarks", "59|true"},
		{"setAlarm", "TypeError: setAlarm() cannot be called with an alarm time <= 0\n" +
			"TypeError: setAlarm() cannot be called with an alarm time <= 0\n" +
			"TypeError: The value cannot be converted because it is not a valid Date.\n" +
			"TypeError: The value cannot be converted because it is not a valid Date.\n" +
			"TypeError: Failed to execute 'setAlarm' on 'DurableObjectStorage': parameter 1 is not of type 'date'.\n" +
			"TypeError: Failed to execute 'setAlarm' on 'DurableObjectStorage': parameter 1 is not of type 'date'.\n" +
			"TypeError: Failed to execute 'setAlarm' on 'DurableObjectStorage': parameter 1 is not of type 'date'.\n" +
			"TypeError: Failed to execute 'setAlarm' on 'DurableObjectStorage': parameter 1 is not of type 'date'.\n" +
			"TypeError: This API doesn't support dates after 2189.\n1000000\n0\n"},
		{"noAlarm", "TypeError: Your Durable Object class must have an alarm() handler in order to call setAlarm()"},
		{"noSQL", "Error: SQL is not enabled for this Durable Object |Error: The storage.kv (synchronous KV) API is " +
			"only available|no error: 3"},
	})
}
