package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/d1"
	"eddy/runtime/clock"
	"eddy/wrangler"
)

// newD1 makes the verbs for D1 databases. They open the database's file, which a running session may have open, too.
func newD1(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("d1", "Query and migrate the D1 databases of a configuration, while a session runs or not")
	f.add(cmd)
	migrations := group("migrations", "List and apply the migrations of a D1 database")
	migrations.AddCommand(d1MigrationsList(env, f), d1MigrationsApply(env, f))
	cmd.AddCommand(d1Execute(env, f), migrations)
	return cmd
}

// database makes the RunE of a verb whose first argument is a database.
func (f *stateFlags) database(env OS, do func(d *d1.Database, b wrangler.D1Database, out output) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, v3, err := f.bindings(env)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		b, err := findDatabase(cfg, args[0])
		if err != nil {
			return &exitError{exitUsage, err}
		}
		d := d1.New(d1.Options{Path: d1.Path(v3, b.DatabaseID), Clock: clock.Real{}})
		err = do(d, b, output{w: cmd.OutOrStdout(), json: f.json})
		return asFailure(errors.Join(err, d.Close()))
	}
}

// findDatabase finds a database by its name, id or binding.
func findDatabase(cfg *wrangler.Config, name string) (wrangler.D1Database, error) {
	var have []string
	for _, b := range cfg.D1Databases {
		if name == b.DatabaseName || name == b.DatabaseID || name == b.Binding {
			return b, nil
		}
		have = append(have, dash(b.DatabaseName)+" ("+b.Binding+")")
	}
	if len(have) == 0 {
		return wrangler.D1Database{}, fmt.Errorf("%s binds no D1 database: write d1_databases", cfg.Path)
	}
	return wrangler.D1Database{}, fmt.Errorf("%s binds no D1 database %q, but %s", cfg.Path, name, strings.Join(have, ", "))
}

func d1Execute(env OS, f *stateFlags) *cobra.Command {
	var command, file string
	cmd := &cobra.Command{
		Use: "execute DATABASE", Short: "Run SQL from --command or --file, as one transaction", Args: cobra.ExactArgs(1),
		RunE: f.database(env, func(d *d1.Database, _ wrangler.D1Database, out output) error {
			if (command == "") == (file == "") {
				return &exitError{exitUsage, errors.New("say what to run: either --command SQL or --file FILE")}
			}
			sql := command
			if file != "" {
				b, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				sql = string(b)
			}
			results, err := d.Script(sql)
			if err != nil {
				return err
			}
			return printResults(out, results)
		}),
	}
	cmd.Flags().StringVar(&command, "command", "", "`SQL` to run")
	cmd.Flags().StringVar(&file, "file", "", "`file` with SQL to run")
	return cmd
}

// d1Result is a statement's result in --json, in the form of a Worker's all().
type d1Result struct {
	Results []map[string]any `json:"results"`
	Success bool             `json:"success"`
	Meta    d1Meta           `json:"meta"`
}

type d1Meta struct {
	Changes     int64 `json:"changes"`
	LastRowID   int64 `json:"last_row_id"`
	RowsRead    int64 `json:"rows_read"`
	RowsWritten int64 `json:"rows_written"`
}

func printResults(out output, results []d1.Result) error {
	list := make([]d1Result, len(results))
	for i, r := range results {
		list[i] = d1Result{Results: []map[string]any{}, Success: true, Meta: d1Meta{
			Changes: r.Meta.Changes, LastRowID: r.Meta.LastRowID, RowsRead: r.Meta.RowsRead, RowsWritten: r.Meta.RowsWritten,
		}}
		for _, row := range r.Rows {
			o := map[string]any{}
			for j, name := range r.Columns {
				o[name] = jsonCell(row[j])
			}
			list[i].Results = append(list[i].Results, o)
		}
	}
	return out.value(list, func() error {
		for _, r := range results {
			if len(r.Columns) == 0 {
				continue
			}
			rows := make([][]string, len(r.Rows))
			for i, row := range r.Rows {
				rows[i] = make([]string, len(row))
				for j, v := range row {
					rows[i][j] = cellText(v)
				}
			}
			if err := out.table(r.Columns, rows); err != nil {
				return err
			}
		}
		return out.done(nil, "%s", count(len(results), "statement"))
	})
}

// jsonCell gives bytes as an array of numbers, as a Worker sees them (D1-3).
func jsonCell(v any) any {
	b, ok := v.([]byte)
	if !ok {
		return v
	}
	numbers := make([]int, len(b))
	for i, x := range b {
		numbers[i] = int(x)
	}
	return numbers
}

func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		return fmt.Sprintf("x'%x'", v)
	}
	return fmt.Sprint(v)
}

func d1MigrationsList(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list DATABASE", Short: "List the migrations of a database", Args: cobra.ExactArgs(1),
		RunE: f.database(env, func(d *d1.Database, b wrangler.D1Database, out output) error {
			list, err := d.Migrations(b.MigrationsDir, b.MigrationsTable)
			if err != nil {
				return err
			}
			return out.value(list, func() error {
				rows := make([][]string, len(list))
				for i, m := range list {
					rows[i] = []string{m.Name, map[bool]string{true: "applied", false: "to be applied"}[m.Applied]}
				}
				return out.table([]string{"MIGRATION", "STATE"}, rows)
			})
		}),
	}
}

func d1MigrationsApply(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "apply DATABASE", Short: "Apply the migrations that a database does not have yet", Args: cobra.ExactArgs(1),
		RunE: f.database(env, func(d *d1.Database, b wrangler.D1Database, out output) error {
			applied, err := d.Migrate(b.MigrationsDir, b.MigrationsTable)
			text := "No migrations to apply"
			if len(applied) > 0 {
				text = "Applied " + strings.Join(applied, "\nApplied ")
			}
			if err != nil && len(applied) == 0 {
				return err
			}
			return errors.Join(out.done(append([]string{}, applied...), "%s", text), err)
		}),
	}
}
