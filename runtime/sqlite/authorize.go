package sqlite

import (
	"strconv"
	"strings"
	"sync"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"eddy/runtime/lazyregexp"
)

// TransactionRefusal is the text for transaction control in SQL (SQL10).
const TransactionRefusal = "To execute a transaction, please use the state.storage.transaction() or " +
	"state.storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT statements. The " +
	"JavaScript API is safer because it will automatically roll back on exceptions, and because it interacts " +
	"correctly with Durable Objects' automatic atomic write coalescing."

// authorizers finds the DB of a connection for the callback.
var authorizers sync.Map // uintptr → *DB

// authorize is SQLite's callback; it runs inside Prepare and Step.
func authorize(_ *libc.TLS, conn uintptr, action int32, p1, p2, p3, _ uintptr) int32 {
	v, ok := authorizers.Load(conn)
	if !ok {
		return lib.SQLITE_DENY
	}
	db := v.(*DB)
	if !db.regulated || db.allows(action, p1, p2, p3) {
		return lib.SQLITE_OK
	}
	return lib.SQLITE_DENY
}

// reserved reports whether a name belongs to the platform (SQL11), in any case
// as later releases of the reference have it.
func reserved(name string) bool { return len(name) >= 4 && strings.EqualFold(name[:4], "_cf_") }

// allows decides about one action of a regulated statement (SQL11 to SQL13).
func (db *DB) allows(action int32, p1, p2, p3 uintptr) bool {
	schema := libc.GoString(p3)
	if action == lib.SQLITE_ALTER_TABLE {
		// Here the schema comes first and the table second.
		schema, p1 = libc.GoString(p1), p2
	}
	if schema == "temp" {
		return (action == lib.SQLITE_READ || action == lib.SQLITE_UPDATE) && !reserved(libc.GoString(p1))
	}
	if schema != "" && schema != "main" {
		return false
	}
	switch action {
	case lib.SQLITE_SELECT, lib.SQLITE_RECURSIVE, lib.SQLITE_ANALYZE:
		return true
	case lib.SQLITE_CREATE_TABLE, lib.SQLITE_DELETE, lib.SQLITE_DROP_TABLE, lib.SQLITE_INSERT, lib.SQLITE_CREATE_VIEW,
		lib.SQLITE_DROP_VIEW, lib.SQLITE_REINDEX, lib.SQLITE_ALTER_TABLE, lib.SQLITE_READ, lib.SQLITE_UPDATE:
		return !reserved(libc.GoString(p1))
	case lib.SQLITE_CREATE_INDEX, lib.SQLITE_DROP_INDEX, lib.SQLITE_CREATE_TRIGGER, lib.SQLITE_DROP_TRIGGER:
		return !reserved(libc.GoString(p1)) && !reserved(libc.GoString(p2))
	case lib.SQLITE_TRANSACTION, lib.SQLITE_SAVEPOINT:
		db.refusal = TransactionRefusal
		return false
	case lib.SQLITE_PRAGMA:
		return pragmaAllowed(libc.GoString(p1), libc.GoString(p2), p2 != 0)
	case lib.SQLITE_FUNCTION:
		return allowedFunctions[libc.GoString(p2)]
	case lib.SQLITE_CREATE_VTABLE, lib.SQLITE_DROP_VTABLE:
		switch strings.ToLower(libc.GoString(p2)) {
		case "fts5", "fts5vocab", "rtree", "rtree_i32":
			return !reserved(libc.GoString(p1))
		}
		return false
	}
	return false
}

// renamePattern finds the new name of ALTER TABLE … RENAME TO, which SQLite
// does not tell the authorizer.
var renamePattern = lazyregexp.New("(?is)^\\s*ALTER\\s+TABLE\\b.*\\bRENAME\\s+TO\\s+[\"'`\\[]?_cf_")

func renamesToReserved(sql string) bool {
	return len(sql) > 10 && (sql[0]|0x20 == 'a' || sql[0] <= ' ') && renamePattern.MatchString(sql)
}

// pragmaArg is the shape that the argument of a PRAGMA must have.
type pragmaArg int

const (
	argNone pragmaArg = iota
	argBoolean
	argName
	argOptionalName
	argOptionalNumber
	argNumberOrName
)

// pragmas is the allowlist (SQL12).
var pragmas = map[string]pragmaArg{
	"data_version": argNone, "page_size": argNone,
	"case_sensitive_like": argBoolean, "foreign_keys": argBoolean, "defer_foreign_keys": argBoolean,
	"ignore_check_constraints": argBoolean,
	"legacy_alter_table":       argBoolean, "recursive_triggers": argBoolean, "reverse_unordered_selects": argBoolean,
	"foreign_key_check": argOptionalName, "foreign_key_list": argName, "index_info": argName, "index_list": argName,
	"index_xinfo": argName,
	"table_info":  argName, "table_xinfo": argName,
	"quick_check": argNumberOrName, "optimize": argOptionalNumber,
}

func pragmaAllowed(name, arg string, given bool) bool {
	if name == "table_list" {
		return true
	}
	shape, known := pragmas[name]
	if !known {
		return false
	}
	switch shape {
	case argNone:
		return !given
	case argBoolean:
		return !given || booleanWord(arg)
	case argName:
		return given && !reserved(arg)
	case argOptionalName:
		return !given || !reserved(arg)
	case argOptionalNumber:
		_, err := strconv.ParseInt(arg, 0, 32)
		return !given || err == nil
	default:
		return !given || !reserved(arg)
	}
}

// booleanWord accepts what SQLite takes for a boolean.
func booleanWord(arg string) bool {
	arg = strings.ToLower(strings.Trim(arg, `'"`))
	for _, w := range []string{"true", "false", "yes", "no", "on", "off", "1", "0"} {
		if strings.HasPrefix(arg, w) {
			return true
		}
	}
	return false
}

// allowedFunctions is the allowlist (SQL13). The last names are what ALTER
// TABLE calls inside.
var allowedFunctions = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`
		abs changes char coalesce concat concat_ws format glob hex ifnull iif instr last_insert_rowid length like ` +
		`likelihood likely
		load_extension lower ltrim max_scalar min_scalar nullif octet_length printf quote random randomblob ` +
		`replace round rtrim sign
		substr substring total_changes trim typeof unhex unicode unlikely upper zeroblob
		date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp
		avg count group_concat max min string_agg sum total
		row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
		acos acosh asin asinh atan atan2 atanh ceil cos cosh degrees exp floor ln log log2 mod pi pow radians sin ` +
		`sinh sqrt tan tanh trunc
		json jsonb json_array jsonb_array json_array_length json_extract jsonb_extract -> ->> json_insert ` +
		`jsonb_insert json_object
		jsonb_object json_patch jsonb_patch json_remove jsonb_remove json_replace jsonb_replace json_set jsonb_set ` +
		`json_type json_valid
		json_quote json_group_array jsonb_group_array json_group_object jsonb_group_object json_each json_tree
		match highlight bm25 snippet rtreecheck
		sqlite_rename_column sqlite_rename_table sqlite_rename_test sqlite_drop_column sqlite_rename_quotefix`) {
		m[name] = true
	}
	return m
}()
