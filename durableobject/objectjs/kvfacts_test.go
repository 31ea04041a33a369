package objectjs

import (
	"testing"

	"eddy/durableobject/storage"
)

var kvObject = script("kvfacts_kv_object.js")

// What the platform promises about keys and values, for classes with SQLite and without:
// KV2, KV3, KV5, KV8, KV9, KV10, KV13, KV14, KV15, KV16, TX3, TX6, TX8.
func TestKVFacts(t *testing.T) {
	same := [][2]string{
		{"kv2", "1|true|b|2|sync|true|"},
		{"kv3", "five|nul|empty|5,five;null,nul|0"},
		{"kv5", "own,z|TypeError: put() may only be called with a single key-value pair and optional options as " +
			"put(key, value, options) or with multiple key-value pairs and optional options as put(entries, options)"},
		{"kv8", "a|a,b|a,b,null|a,b,null|null"},
		{"kv9", "a,b|1|true|b,v"},
		{"kv10", "7\nRangeError: in getter\n{\"x\":1}true\nTypeError,msg,5,false,true\nAbortError20\nb\n" +
			"PUThttp://x/\nDataCloneError: #<Object> could not be cloned.\n" +
			"DataCloneError: [object Generator] could not be cloned.\n" +
			"DataCloneError: ReadableStream can only be serialized for RPC.\n" +
			"DataCloneError: Could not serialize object of type \"URL\". This type does not support serialization."},
		{"kv13", "1,2,2,true,1,true"},
		{"kv3symbol", "TypeError: Cannot convert a Symbol value to a string|0"},
		{"kv13types",
			"'GetOptions'.,'PutOptions'.,'PutOptions'.,'PutOptions'.,'GetAlarmOptions'.,'SetAlarmOptions'.," +
				"'SetAlarmOptions'.,no error: undefined"},
		{"kv16", "put,sync"},
	}
	want := [][2]string{
		// SQL17, KV14
		{"kv2refused.K", "Error: SQL is not enabled for this Durable Object class. To \n" +
			"Error: SQL is not enabled for this Durable Object class. To \nobject\nobject\n" +
			"Error: The storage.kv (synchronous KV) API is only available\n" +
			"Error: The storage.kv (synchronous KV) API is only available\n" +
			"Error: The storage.kv (synchronous KV) API is only available\n" +
			"Error: The storage.kv (synchronous KV) API is only available"},
		{"kv14", "function|false|[[\"c\",3],[\"b\",2]]|joined|1|3|false"},
		{"kv14list", "[]|[[\"a\",1],[\"b\",2],[\"c\",3]]|Error: SQLite query was canceled because the database was " +
			"deleted.|Error: SQLite query was canceled because the database was deleted.|Error: kv.list() iterator " +
			"was invalidated because a new call to kv.list() was started. Only one kv.list() iterator can exist at " +
			"a time.|[[\"x\",1]]"},
		{"kv15", "true|4096|0|false|Error: SQLite query was canceled because the database was deleted.|after"},
		{"tx3", "Error: back|outer|0"},
		{"tx6", "Error: back||o|Error: late|before,later,o"},
		{"tx8", "3 13"}, // nothing conflicts, and no closure runs twice
	}
	for _, f := range same {
		want = append(want, f, [2]string{f[0] + ".K", f[1]})
	}
	facts(t, config{classes: []string{"S"}, kv: []string{"K"}}, kvObject, want)
}

// KV15: below 2026-02-24 the alarm outlives deleteAll.
func TestDeleteAllKeepsAlarm(t *testing.T) {
	facts(t, config{classes: []string{"S"}, kv: []string{"K"}, date: "2026-02-23"}, kvObject, [][2]string{
		{"kv15", "true|8192|1|true|Error: SQLite query was canceled because the database was deleted.|after"},
	})
}

// KV12: production's limits hold for classes without SQLite, and only for them; lifted, those of KV11 are left.
func TestKVLimits(t *testing.T) {
	const tooBig = "Error: string or blob too big: SQLITE_TOOBIG"
	free := [][2]string{
		{"many", "no error: undefined\nno error: 200\nno error: 200\nno error: all"},
		{"keys", "no error: undefined\nno error: undefined\nno error: true\nno error: undefined"},
		{"values", "no error: undefined\nno error: undefined\n1\nno error: undefined"},
		{"rows", tooBig + "\n" + tooBig + "\n\nno error: undefined"},
	}
	const key = "RangeError: Keys cannot be larger than 2048 bytes. A key of size "
	limited := [][2]string{
		{"many.K", "RangeError: Maximum number of pairs is 128.\nRangeError: Maximum number of keys is 128.\n" +
			"RangeError: Maximum number of keys is 128.\nno error: all"},
		{"keys.K", key + "2049 was provided.\n" + key + "2050 was provided.\n" + key +
			"2049 was provided.\nno error: undefined"},
		{"values.K", "RangeError: Values cannot be larger than 131072 bytes. A value of size 131078 was provided.\n" +
			"RangeError: Values cannot be larger than 131072 bytes. A value of size 131078 was provided.\n\n" +
			"no error: undefined"},
	}
	for _, c := range []struct {
		limits storage.Limits
		want   [][2]string
	}{{storage.KVBackedLimits, append(limited, free...)}, {storage.Limits{},
		append([][2]string{{"many.K", free[0][1]}, {"keys.K", free[1][1]}, {"values.K", free[2][1]},
			{"rows.K", free[3][1]}}, free...)}} {
		b := newBenchAt(t, t.TempDir(), Options{Limits: c.limits})
		w := b.start(config{classes: []string{"S"}, kv: []string{"K"}}, prelude+kvObject)
		for _, f := range c.want {
			b.expect(w, "/"+f[0], f[1])
		}
	}
}
