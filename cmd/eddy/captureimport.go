package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/journal/foreign"
)

// newCaptureImport makes lines of a capture of what other tools have kept.
func newCaptureImport(env OS) *cobra.Command {
	var o foreign.Options
	cmd := &cobra.Command{
		Use: "import [FILE...] > FILE.replay.jsonl", Short: "Make a capture of what other tools have kept of queues",
		Long: "Read files, or standard input, and write deliveries as lines that eddy replay runs. A file may hold\n" +
			"answers of the pull API, dead letters as eddy dlq list --json shows them, an array of bodies, lines of\n" +
			"{\"body\": …, \"attempts\": …, \"timestamp\": …}, CSV with a column body, or records of deliveries:\n" +
			"wrangler tail --format json, Workers Logs, Logpush. Those records name no messages: they are taken " +
			"from\n" +
			"what the consumer has logged, objects with id and body.",
		Example: "  eddy capture import pulled.json --queue orders > orders.replay.jsonl\n" +
			"  wrangler tail --format json | eddy capture import > tail.replay.jsonl",
		RunE: func(cmd *cobra.Command, files []string) error {
			if o.BatchSize < 1 || o.BatchSize > 100 {
				return usage("--batch-size %d: expected 1 to 100", o.BatchSize)
			}
			if len(files) == 0 {
				if isTerminal(env.Stdin) {
					return usage("eddy capture import takes files, or what is piped into it")
				}
				files = []string{"-"}
			}
			dir, err := env.Getwd()
			if err != nil {
				return asFailure(err)
			}
			w := importer{env: env, o: o, out: cmd.OutOrStdout()}
			for _, name := range files {
				if err := w.file(dir, name); err != nil {
					return asFailure(err)
				}
			}
			return w.end()
		},
	}
	cmd.Flags().StringVar(&o.Queue, "queue", "", "the `queue` of messages that name none")
	cmd.Flags().StringVar(&o.Worker, "worker", "",
		"the `Worker` whose consumer they are for, where the file does not say")
	cmd.Flags().IntVar(&o.BatchSize, "batch-size", 10, "how many loose messages make a delivery, 1 to 100")
	return cmd
}

// importer writes what it makes of texts.
type importer struct {
	env          OS
	o            foreign.Options
	out          io.Writer
	written      int
	left, others int
}

func (w *importer) file(dir, name string) (err error) {
	if name == "-" {
		return w.text("standard input", w.env.Stdin)
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(w.text(name, file), file.Close())
}

// text writes the lines that a text makes, and tells what is left out.
func (w *importer) text(name string, from io.Reader) error {
	o := w.o
	o.Now = time.Now()
	made, err := foreign.Read(name, from, o)
	if err != nil {
		return err
	}
	for _, line := range made.Lines {
		text, err := line.Marshal()
		if err == nil {
			_, err = w.out.Write(text)
		}
		if err != nil {
			return err
		}
	}
	for _, one := range made.Left {
		fmt.Fprint(w.env.Stderr, explain(one, isTerminal(w.env.Stderr) && getenv(w.env, "NO_COLOR") == ""))
	}
	w.written, w.left, w.others = w.written+len(made.Lines), w.left+len(made.Left), w.others+made.Others
	return nil
}

// end is the exit code: 1 if something was left out, or if there was nothing.
func (w *importer) end() error {
	if w.written == 0 && w.left == 0 {
		if w.others > 0 {
			return asFailure(fmt.Errorf("there is no delivery: %s of other events", count(w.others, "record")))
		}
		return asFailure(errors.New("there is no message"))
	}
	return damagedEnd(w.left)
}

// newCapturePull makes lines of a capture of what waits in a queue behind Cloudflare's API.
func newCapturePull(env OS) *cobra.Command {
	var p puller
	cmd := &cobra.Command{
		Use: "pull QUEUE > FILE.replay.jsonl", Short: "Make a capture of what waits in a queue of an account",
		Long: "Write the messages of a queue that waits at Cloudflare, or at another session of eddy, as lines that\n" +
			"eddy replay runs. At first it only looks: up to 100 messages, of which nothing is leased. With --drain " +
			"it\n" +
			"takes all of them out of the queue, which needs a pull consumer: messages are acknowledged when they\n" +
			"have been written. The account is named as for wrangler: by CLOUDFLARE_API_TOKEN (or CLOUDFLARE_EMAIL " +
			"and\n" +
			"CLOUDFLARE_API_KEY), CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_BASE_URL.",
		Example: "  eddy capture pull orders-dlq > orders.replay.jsonl\n" +
			"  eddy capture pull orders-dlq --drain --as orders > orders.replay.jsonl",
		Args: form(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			a := foreign.Account{Base: getenv(env, "CLOUDFLARE_API_BASE_URL"), ID: getenv(env, "CLOUDFLARE_ACCOUNT_ID"),
				Token: getenv(env, "CLOUDFLARE_API_TOKEN"), Email: getenv(env, "CLOUDFLARE_EMAIL"),
				Key: getenv(env, "CLOUDFLARE_API_KEY")}
			if a.Base == "" {
				a.Base = foreign.APIBase
			}
			switch {
			case a.ID == "":
				return usage("which account? Set CLOUDFLARE_ACCOUNT_ID, as for wrangler")
			case a.Token == "" && (a.Email == "" || a.Key == ""):
				return usage("who asks? Set CLOUDFLARE_API_TOKEN, as for wrangler")
			}
			p.importer = importer{env: env, out: cmd.OutOrStdout(), o: foreign.Options{Queue: args[0]}}
			if p.as != "" {
				p.o.Queue = p.as
			}
			return asFailure(p.run(cmd.Context(), &a, args[0]))
		},
	}
	cmd.Flags().BoolVar(&p.drain, "drain", false, "take the messages out of the queue")
	cmd.Flags().StringVar(&p.as, "as", "", "the `queue` whose consumer is to get them, as the one that a dead letter "+
		"queue is for")
	cmd.Flags().Var(&p.visible, "visibility", "with --drain: how long messages are leased until they are written, up "+
		"to 12h (default that of the consumer)")
	return cmd
}

// puller reads a queue behind Cloudflare's API.
type puller struct {
	importer
	drain   bool
	as      string
	visible duration
}

func (p *puller) run(ctx context.Context, a *foreign.Account, queue string) error {
	id, err := a.QueueID(ctx, queue)
	if err != nil {
		return err
	}
	if !p.drain {
		answer, backlog, err := a.Peek(ctx, id)
		if err != nil {
			return err
		}
		if _, err := p.messages(queue, answer); err != nil {
			return err
		}
		if messages := foreign.Messages(answer); backlog > messages {
			fmt.Fprintf(p.env.Stderr, "%d of %s; --drain takes all of them out of the queue\n", messages,
				count(backlog, "message"))
		}
		return p.end()
	}
	for {
		answer, leased, backlog, err := a.Pull(ctx, id, p.visible.Duration)
		if err != nil {
			return err
		}
		if len(leased) == 0 {
			if backlog > 0 {
				fmt.Fprintf(p.env.Stderr, "%s of the queue cannot be leased now: delayed, or leased by another\n",
					count(backlog, "message"))
			}
			return p.end()
		}
		whole, err := p.messages(queue, answer)
		if err != nil {
			return err
		}
		if !whole { // what was not written is not acknowledged
			return fmt.Errorf("%s stay in the queue: their leases end by themselves", count(len(leased), "message"))
		}
		if err := a.Ack(ctx, id, leased); err != nil {
			return fmt.Errorf("the messages were written and are not acknowledged: %w", err)
		}
	}
}

// messages writes those of an answer, and tells whether all of them could be written.
func (p *puller) messages(queue string, answer []byte) (whole bool, err error) {
	if foreign.Messages(answer) == 0 {
		return true, nil
	}
	before := p.left
	err = p.text("queue "+queue, bytes.NewReader(answer))
	if f, ok := p.out.(*os.File); ok && err == nil && p.drain {
		if info, failed := f.Stat(); failed == nil && info.Mode().IsRegular() {
			err = f.Sync()
		}
	}
	return p.left == before, err
}
