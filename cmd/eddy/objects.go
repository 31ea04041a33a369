package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

func newObjects(env OS) *cobra.Command {
	f := stateFlags{objectsOnly: true}
	var namespace string
	cmd := group("objects", "See and change the Durable Objects of a running session or of a stopped one's state")
	f.add(cmd)
	f.addCluster(cmd)
	cmd.PersistentFlags().StringVar(&namespace, "namespace", "",
		"only this namespace, `WORKER-CLASS` or the class alone")
	alarm := objectsAlarm(env, &f, &namespace)
	cmd.AddCommand(objectsList(env, &f, &namespace), objectsShow(env, &f, &namespace),
		objectsStorage(env, &f, &namespace),
		objectsSQL(env, &f, &namespace), objectsAlarms(env, &f, &namespace), alarm,
		objectsEvict(env, &f, &namespace), objectsBookmarks(env, &f, &namespace), objectsRestore(env, &f, &namespace),
		objectsDelete(env, &f, &namespace))
	for _, c := range append(alarm.Commands(), cmd.Commands()...) {
		if strings.Contains(c.Use, "OBJECT") {
			c.ValidArgsFunction = first(f.completeObjects(env, &namespace))
		}
	}
	return finish(env, &f, cmd)
}

func objectsList(env OS, f *stateFlags, namespace *string) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the objects that have stored something or are in memory", Args: cobra.NoArgs,
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			all, err := c.Objects(ctx, *namespace)
			if err != nil {
				return err
			}
			return out.value(all, func() error {
				var rows [][]string
				for _, o := range all {
					state := o.State
					if o.Node != "" {
						state = strings.TrimSpace(state + " at " + o.Node)
					}
					rows = append(rows, []string{o.Namespace, o.ID, dash(o.Name), dash(state), fmt.Sprint(o.Bytes),
						whenever(o.Alarm)})
				}
				return out.list("There are no objects", []string{"NAMESPACE", "ID", "NAME", "STATE", "BYTES",
					"ALARM (UTC)"}, rows)
			})
		}),
	}
}

func objectsShow(env OS, f *stateFlags, namespace *string) *cobra.Command {
	return &cobra.Command{
		Use: "show OBJECT", Short: "Show an object, named by its id, the start of it, or its name",
		Args: cobra.ExactArgs(1),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			o, err := c.Object(ctx, *namespace, args[0])
			if err != nil {
				return err
			}
			return out.value(o, func() error {
				facts := []any{"ID", o.ID, "Name", dash(o.Name), "Namespace", o.Namespace, "File", o.File, "Bytes",
					o.Bytes, "Alarm", whenever(o.Alarm), "Keys", o.Keys}
				if o.Node != "" {
					facts = append(facts, "Node", o.Node)
				}
				if o.State != "" {
					facts = append(facts, "State", o.State, "Sockets", o.Sockets)
				}
				for _, t := range o.Tables {
					facts = append(facts, "Table "+t.Name, count(int(t.Rows), "row"))
				}
				return out.facts(facts...)
			})
		}),
	}
}

func objectsStorage(env OS, f *stateFlags, namespace *string) *cobra.Command {
	var prefix string
	var limit int
	cmd := &cobra.Command{
		Use: "storage OBJECT", Short: "List the keys of an object's key-value storage", Args: cobra.ExactArgs(1),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			values, err := c.Storage(ctx, *namespace, args[0], prefix, limit)
			if err != nil {
				return err
			}
			return out.value(values, func() error {
				var rows [][]string
				for _, v := range values {
					text := v.Value
					if text == "" {
						text = "<" + v.Base64 + ">"
					}
					rows = append(rows, []string{v.Key, fmt.Sprint(v.Bytes), short(text, 100)})
				}
				return out.list("Nothing is stored under a key", []string{"KEY", "BYTES", "VALUE"}, rows)
			})
		}),
	}
	cmd.Flags().StringVar(&prefix, "prefix", "", "only keys that begin with this `text`")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most")
	return cmd
}

func objectsSQL(env OS, f *stateFlags, namespace *string) *cobra.Command {
	var in control.SQL
	cmd := &cobra.Command{
		Use: "sql OBJECT QUERY", Short: "Query an object's database", Args: cobra.ExactArgs(2),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			in.SQL = args[1]
			res, err := c.SQL(ctx, *namespace, args[0], in)
			if err != nil {
				return err
			}
			return out.value(res, func() error { return sqlTable(out, res) })
		}),
	}
	cmd.Flags().BoolVar(&in.Write, "write", false,
		"let the query change the object; one that is live takes it in its turn, like any event")
	cmd.Flags().IntVar(&in.Limit, "limit", 1000, "how many rows at most")
	return cmd
}

func sqlTable(out output, res control.Rows) error {
	var rows [][]string
	for _, r := range res.Rows {
		var cells []string
		for _, v := range r {
			s, ok := v.(string)
			if !ok {
				b, err := json.Marshal(v)
				if err != nil {
					return err
				}
				s = string(b)
			}
			cells = append(cells, short(s, 100))
		}
		rows = append(rows, cells)
	}
	if err := out.table(res.Columns, rows); err != nil || !res.Truncated {
		return err
	}
	_, err := fmt.Fprintln(out.w, "… and more: raise --limit")
	return err
}

func objectsAlarms(env OS, f *stateFlags, namespace *string) *cobra.Command {
	var resume bool
	cmd := &cobra.Command{
		Use: "alarms", Short: "List scheduled alarms, the earliest first", Args: cobra.NoArgs,
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			if resume {
				if err := c.ResumeAlarms(ctx); err != nil {
					return err
				}
				return out.done(struct{}{}, "Alarms fire again.")
			}
			alarms, err := c.Alarms(ctx, *namespace)
			if err != nil {
				return err
			}
			return out.value(alarms, func() error {
				var rows [][]string
				for _, a := range alarms {
					rows = append(rows, []string{a.Namespace, a.ID, dash(a.Name), when(a.At)})
				}
				return out.list("No alarms are set", []string{"NAMESPACE", "ID", "NAME", "AT (UTC)"}, rows)
			})
		}),
	}
	cmd.Flags().BoolVar(&resume, "resume", false, "let alarms fire that eddy dev --alarms=hold holds")
	return cmd
}

func objectsEvict(env OS, f *stateFlags, namespace *string) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "evict OBJECT", Short: "Take an object out of memory, as ten idle seconds would; its hibernatable " +
			"sockets stay open", Args: cobra.ExactArgs(1),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			e, err := c.Evict(ctx, *namespace, args[0], force)
			if err != nil {
				return err
			}
			if !e.Evicted {
				return out.done(e, "Object %s of %s was not in memory", e.ID, e.Namespace)
			}
			return out.done(e, "Evicted object %s of %s", e.ID, e.Namespace)
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false,
		"also one that is at work: it is reset, what it has in progress fails, its sockets are closed")
	return cmd
}

func objectsDelete(env OS, f *stateFlags, namespace *string) *cobra.Command {
	var force, all bool
	cmd := &cobra.Command{
		Use: "delete OBJECT", Short: "Delete all that an object has stored, and its alarm; one that is live is reset",
		Args: func(cmd *cobra.Command, args []string) error {
			if all && *namespace == "" {
				return usage("--all deletes the objects of one namespace: name it with --namespace WORKER-CLASS")
			}
			if all {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			if all {
				return deleteAll(ctx, env, c, out, *namespace, force)
			}
			if err := confirm(env, force, "delete an object", "object "+args[0], args[0]); err != nil {
				return err
			}
			o, err := c.DeleteObject(ctx, *namespace, args[0])
			if err != nil {
				return err
			}
			return out.done(o, "Deleted object %s of %s", o.ID, o.Namespace)
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	cmd.Flags().BoolVar(&all, "all", false, "delete every object of the namespace given with --namespace")
	return cmd
}

func deleteAll(ctx context.Context, env OS, c *control.Client, out output, namespace string, force bool) error {
	if err := confirm(env, force, "delete all objects of a namespace", "all objects of "+namespace,
		namespace); err != nil {
		return err
	}
	list, err := c.Objects(ctx, namespace)
	if err != nil {
		return err
	}
	for _, o := range list {
		if _, err := c.DeleteObject(ctx, namespace, o.ID); err != nil {
			return err
		}
	}
	return out.done(list, "Deleted %s of %s", count(len(list), "object"), namespace)
}
