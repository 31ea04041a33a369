package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// newD1 makes the verbs for D1 databases. They open the database's file, which a running session may have open as well.
func newD1(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("d1", "Query and migrate the D1 databases of a configuration, while a session runs or not")
	f.add(cmd)
	f.addCluster(cmd)
	migrations := group("migrations", "Create, list and apply the migrations of a D1 database")
	migrations.AddCommand(d1MigrationsCreate(env, f), d1MigrationsList(env, f), d1MigrationsApply(env, f))
	cmd.AddCommand(append(elsewhereBelow("d1"), d1Execute(env, f), d1Export(env, f), d1List(env, f), migrations)...)
	for _, c := range append(migrations.Commands(), cmd.Commands()...) {
		if strings.Contains(c.Use, "DATABASE") {
			c.ValidArgsFunction = first(f.complete(env, databaseKind))
		}
	}
	return finish(env, f, cmd)
}

// database makes the RunE of a verb whose first argument is a database.
func (f *stateFlags) database(env OS, do func(d d1.Scripted, b wrangler.D1Database, args []string,
	out output) error) func(*cobra.Command, []string) error {
	return f.opened(env, func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir, args []string,
		out output) error {
		i, err := databaseKind.choose(cfg, args[0])
		if err != nil {
			return err
		}
		b := cfg.D1Databases[i]
		if way, end, err := f.way(ctx, objectstore.Name{Kind: "d1", ID: b.DatabaseID}); err != nil || way != nil {
			if err == nil {
				defer end()
				err = do(d1.AwayDatabase{Way: way, Clock: clock.Real{}}, b, args[1:], out)
			}
			return err
		}
		d := d1.New(d1.Options{Path: d1.Path(state, b.DatabaseID), Clock: clock.Real{}})
		return errors.Join(do(d, b, args[1:], out), d.Close())
	})
}

func d1Execute(env OS, f *stateFlags) *cobra.Command {
	var command, file string
	cmd := &cobra.Command{
		Use: "execute DATABASE [SQL]", Short: "Run SQL, given as it is, from --file or on standard input, as one " +
			"transaction", Args: form(cobra.RangeArgs(1, 2)),
	}
	cmd.RunE = f.database(env, func(d d1.Scripted, _ wrangler.D1Database, args []string, out output) error {
		if len(args) == 0 && cmd.Flags().Changed("command") {
			args = []string{command}
		} else if cmd.Flags().Changed("command") {
			return usage("say the SQL once: as an argument or as --command")
		}
		var arg *string
		if len(args) == 1 {
			arg = &args[0]
		}
		sql, err := content(env, arg, file)
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(sql)) == "" {
			return usage("there is no SQL to run\n  give it as an argument, with --command, with --file or on " +
				"standard input")
		}
		results, err := d.Script(string(sql))
		if err != nil {
			return err
		}
		return printResults(out, results)
	})
	cmd.Flags().StringVar(&command, "command", "", "`SQL` to run")
	cmd.Flags().StringVar(&file, "file", "", "`file` with SQL to run")
	cmd.Flags().BoolP("yes", "y", false, "taken as wrangler's; nothing is asked")
	return cmd
}

func d1List(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the databases that the configuration binds", Args: form(cobra.NoArgs),
		RunE: f.opened(env, func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir, _ []string,
			out output) error {
			kept, err := f.keptStores(ctx)
			if err != nil {
				return err
			}
			type row struct {
				Name    string `json:"name"`
				ID      string `json:"uuid"`
				Binding string `json:"binding"`
				Bytes   int64  `json:"file_size"`
			}
			list := []row{}
			var rows [][]string
			for _, b := range cfg.D1Databases {
				size := int64(0)
				if f.cluster != "" {
					at, _ := kept.find(objectstore.Name{Kind: "d1", ID: b.DatabaseID})
					size = at.Bytes
				} else if info, err := os.Stat(d1.Path(state, b.DatabaseID)); err == nil {
					size = info.Size()
				}
				list = append(list, row{b.DatabaseName, b.DatabaseID, b.Binding, size})
				rows = append(rows, []string{dash(b.DatabaseName), b.DatabaseID, b.Binding, fmt.Sprint(size)})
			}
			return out.value(list, func() error {
				return out.list(cfg.Path+" binds no D1 database", []string{"DATABASE", "ID", "BINDING", "BYTES"}, rows)
			})
		}),
	}
}

// d1Result is the result of a statement as --json prints it: the form of all() in a Worker.
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
	// Duration is in milliseconds.
	Duration float64 `json:"duration"`
}

func printResults(out output, results []d1.Result) error {
	list := make([]d1Result, len(results))
	for i, r := range results {
		list[i] = d1Result{Results: []map[string]any{}, Success: true, Meta: d1Meta{
			Changes: r.Meta.Changes, LastRowID: r.Meta.LastRowID, RowsRead: r.Meta.RowsRead,
			RowsWritten: r.Meta.RowsWritten, Duration: float64(r.Meta.Duration) / float64(time.Millisecond),
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

// jsonCell turns bytes into an array of numbers, as a Worker sees them (D1-3).
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
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func d1MigrationsCreate(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "create DATABASE MESSAGE", Short: "Make an empty migration file", Args: form(cobra.ExactArgs(2)),
		RunE: f.database(env, func(_ d1.Scripted, b wrangler.D1Database, args []string, out output) error {
			path, err := d1.CreateMigration(b.MigrationsDir, args[0], time.Now())
			if err != nil {
				return err
			}
			if cwd, err := env.Getwd(); err == nil && within(path, cwd) {
				if rel, err := filepath.Rel(cwd, path); err == nil {
					path = rel
				}
			}
			return out.done(map[string]string{"file": path},
				"Created %s\n  write SQL into it, then: eddy d1 migrations apply %s", path, b.Binding)
		}),
	}
}

func d1MigrationsList(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list DATABASE", Short: "List the migrations of a database", Args: form(cobra.ExactArgs(1)),
		RunE: f.database(env, func(d d1.Scripted, b wrangler.D1Database, _ []string, out output) error {
			list, err := d1.Migrations(d, b.MigrationsDir, b.MigrationsTable)
			if err != nil {
				return err
			}
			return out.value(list, func() error {
				rows := make([][]string, len(list))
				for i, m := range list {
					rows[i] = []string{m.Name, map[bool]string{true: "applied", false: "to be applied"}[m.Applied]}
				}
				return out.list("No migrations in "+b.MigrationsDir, []string{"MIGRATION", "STATE"}, rows)
			})
		}),
	}
}

func d1MigrationsApply(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "apply DATABASE", Short: "Apply the migrations that a database does not have yet",
		Args: form(cobra.ExactArgs(1)),
		RunE: f.database(env, func(d d1.Scripted, b wrangler.D1Database, _ []string, out output) error {
			applied, err := d1.Migrate(d, b.MigrationsDir, b.MigrationsTable)
			if err != nil && len(applied) == 0 {
				return err
			}
			return errors.Join(out.value(append([]string{}, applied...), func() error {
				for _, name := range applied {
					if err := out.done(nil, "Applied %s", name); err != nil {
						return err
					}
				}
				if len(applied) == 0 {
					return out.done(nil, "No migrations to apply")
				}
				return nil
			}), err)
		}),
	}
}
