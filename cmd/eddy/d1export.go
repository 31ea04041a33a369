package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/d1"
	"eddy/wrangler"
)

// d1Export writes a database as SQL, in the form of wrangler d1 export.
func d1Export(env OS, f *stateFlags) *cobra.Command {
	var file string
	var tables []string
	var noSchema, noData bool
	cmd := &cobra.Command{
		Use: "export DATABASE", Short: "Write a database as SQL that makes it anew",
		Args: form(cobra.ExactArgs(1)),
	}
	cmd.RunE = f.database(env, func(d d1.Scripted, b wrangler.D1Database, _ []string, out output) error {
		if noSchema && noData {
			return usage("--no-schema and --no-data leave nothing to write")
		}
		dump, err := dumpSQL(d, tables, !noSchema, !noData)
		if err != nil {
			return err
		}
		if file == "" {
			return out.value(dump, func() error { _, err := out.w.Write([]byte(dump)); return err })
		}
		if err := os.WriteFile(file, []byte(dump), 0o666); err != nil {
			return err
		}
		return out.done(map[string]string{"file": file}, "Wrote %s (%s)", file, count(len(dump), "byte"))
	})
	cmd.Flags().StringVar(&file, "output", "", "`file` to write; without it the SQL is printed")
	cmd.Flags().StringArrayVar(&tables, "table", nil, "only this `table`; can be given several times")
	cmd.Flags().BoolVar(&noSchema, "no-schema", false, "only what the tables hold")
	cmd.Flags().BoolVar(&noData, "no-data", false, "only the tables themselves")
	return cmd
}

// schemaObject is what sqlite_master says of a table, an index, a view or a trigger.
type schemaObject struct{ kind, name, table, sql string }

// dumpSQL is the SQL that makes the database anew, or some of its tables.
func dumpSQL(d d1.Scripted, tables []string, schema, data bool) (string, error) {
	all, err := schemaOf(d)
	if err != nil {
		return "", err
	}
	wanted := map[string]bool{}
	for _, t := range tables {
		wanted[t] = true
	}
	var query strings.Builder
	var list []schemaObject
	var counted bool
	for _, o := range all {
		counted = counted || o.name == "sqlite_sequence"
		if o.kind != "table" || strings.HasPrefix(o.name, "sqlite_") || len(wanted) > 0 && !wanted[o.name] {
			continue
		}
		if strings.HasPrefix(strings.ToUpper(o.sql), "CREATE VIRTUAL") {
			return "", fmt.Errorf("table %s is virtual, and databases with virtual tables cannot be exported\n"+
				"  export the others: --table NAME", o.name)
		}
		delete(wanted, o.name)
		list = append(list, o)
		fmt.Fprintf(&query, "SELECT name FROM pragma_table_xinfo(%s) WHERE hidden = 0 ORDER BY cid;\n",
			quoteText(o.name))
	}
	for name := range wanted {
		return "", usage("the database has no table %q", name)
	}
	columns, err := d.Script(query.String())
	if err != nil {
		return "", err
	}
	query.Reset()
	for i, o := range list {
		fmt.Fprintf(&query, "SELECT %s FROM %s;\n", rowSQL(o.name, columns[i]), quoteName(o.name))
	}
	if counted {
		query.WriteString(`SELECT 'INSERT INTO "sqlite_sequence" ("name","seq") VALUES(' || quote(name) || ',' || ` +
			`quote(seq) || ');', name FROM sqlite_sequence;`)
	}
	rows, err := d.Script(query.String()) // one transaction: no row of one table is newer than those of another
	if err != nil {
		return "", err
	}
	var dump strings.Builder
	dump.WriteString("PRAGMA defer_foreign_keys=TRUE;\n")
	exported := map[string]bool{}
	for i, o := range list {
		exported[o.name] = true
		if schema {
			dump.WriteString(o.sql + ";\n")
		}
		for _, row := range rows[i].Rows {
			if data {
				fmt.Fprintf(&dump, "%s\n", row[0])
			}
		}
	}
	if counted && data {
		dump.WriteString("DELETE FROM sqlite_sequence;\n")
		for _, row := range rows[len(list)].Rows {
			if exported[fmt.Sprint(row[1])] {
				fmt.Fprintf(&dump, "%s\n", row[0])
			}
		}
	}
	for _, o := range all {
		if schema && o.kind != "table" && o.sql != "" && (len(tables) == 0 || exported[o.table]) {
			dump.WriteString(o.sql + ";\n")
		}
	}
	return dump.String(), nil
}

func schemaOf(d d1.Scripted) ([]schemaObject, error) {
	results, err := d.Script("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master " +
		"WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	var all []schemaObject
	for _, row := range results[0].Rows {
		all = append(all, schemaObject{fmt.Sprint(row[0]), fmt.Sprint(row[1]), fmt.Sprint(row[2]), fmt.Sprint(row[3])})
	}
	return all, nil
}

// rowSQL is an expression that makes a row of a table into the statement that inserts it.
func rowSQL(table string, columns d1.Result) string {
	var names, values []string
	for _, row := range columns.Rows {
		name := quoteName(fmt.Sprint(row[0]))
		names, values = append(names, name), append(values, "quote("+name+")")
	}
	head := "INSERT INTO " + quoteName(table) + " (" + strings.Join(names, ",") + ") VALUES("
	return quoteText(head) + " || " + strings.Join(values, " || ',' || ") + " || ');'"
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func quoteText(s string) string { return `'` + strings.ReplaceAll(s, `'`, `''`) + `'` }
