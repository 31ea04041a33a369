package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

// newMCP is eddy mcp: a server of the Model Context Protocol (https://modelcontextprotocol.io/specification) on
// standard
// input and output, with which a coding assistant looks at what a person sees in the explorer.
func newMCP(env OS) *cobra.Command {
	a := &assistant{env: env}
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let a coding assistant look into a session (Model Context Protocol)", Args: cobra.NoArgs,
		Long: "Serve the Model Context Protocol on standard input and output: queues, dead letters, objects, lanes,\n" +
			"events, traces and time of a session for coding assistants; they can also run tests, search orders of\n" +
			"events and replay captured ones. They read only, unless --write lets them act. The session is found as\n" +
			"by the other commands; without a running one they see what its state directory keeps.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.f.check(cmd); err != nil {
				return err
			}
			err := a.server().Run(cmd.Context(), &mcp.StdioTransport{})
			if cmd.Context().Err() != nil {
				return nil
			}
			return asFailure(err)
		},
	}
	a.f.add(cmd)
	addJournalDir(cmd, &a.f.journalDir)
	cmd.Flags().BoolVar(&a.write, "write", false, "let it send, deliver, replay, edit, remove, evict and move time, "+
		"too")
	a.f.completeFlags(env, cmd, nil)
	return cmd
}

// assistant is what an assistant may do. Its tools run on the SDK's goroutines.
type assistant struct {
	env   OS
	f     stateFlags
	write bool
}

// server makes the server with its tools.
func (a *assistant) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "eddy", Title: "eddy", Version: version}, &mcp.ServerOptions{
		Instructions: "eddy runs Cloudflare Workers with Queues and Durable Objects on this machine. Begin with " +
			"session and " +
			"queues; events lists what happened, trace what one event led to, dead_letters what failed for good and " +
			"why."})
	a.looking(s)
	a.trying(s)
	if a.write {
		a.acting(s)
	}
	return s
}

// mostAnswer bounds what a tool answers, in bytes: an assistant cannot read more anyway.
const mostAnswer = 200_000

// tool adds a tool whose answer is what do returns, as JSON. An error is told to the assistant, and the server goes on.
func tool[In any](s *mcp.Server, name, about string, hints mcp.ToolAnnotations,
	do func(ctx context.Context, in In) (any, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: about, Annotations: &hints},
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			v, err := do(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			text, ok := v.(string)
			if !ok {
				b, err := json.Marshal(v)
				if err != nil {
					return nil, nil, err
				}
				text = string(b)
			}
			if len(text) > mostAnswer {
				text = fmt.Sprintf("%s\n… (%d bytes more; ask for less)", text[:mostAnswer], len(text)-mostAnswer)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
}

// The hints of tools: those that look, those that run the project apart from the session, those that change the
// session.
func looks() mcp.ToolAnnotations {
	closed := false
	return mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}
}

func runs() mcp.ToolAnnotations {
	harmless := false
	return mcp.ToolAnnotations{DestructiveHint: &harmless}
}

func acts(destructive bool) mcp.ToolAnnotations {
	return mcp.ToolAnnotations{DestructiveHint: &destructive}
}

// asking makes a tool's function of one that asks the control API. The session is looked for each time: it may have
// ended and begun again.
func asking[In any](a *assistant, do func(ctx context.Context, c *control.Client, in In) (any, error)) func(
	ctx context.Context, in In) (any, error) {
	return func(ctx context.Context, in In) (any, error) {
		c, release, err := a.f.connect(ctx, a.env)
		if err != nil {
			return nil, err
		}
		v, err := do(ctx, c, in)
		return v, errors.Join(err, release())
	}
}

// self runs a command of this binary in the project's directory, and gives what it printed with its exit code.
func (a *assistant) self(ctx context.Context, args ...string) (any, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if cmd.Dir, err = a.env.Getwd(); err != nil {
		return nil, err
	}
	cmd.Env = append(append([]string{}, a.env.Environ...), "NO_COLOR=1")
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return fmt.Sprintf("%s\nexit code %d", out.String(), cmd.ProcessState.ExitCode()), nil
}
