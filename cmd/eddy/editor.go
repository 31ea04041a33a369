package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"eddy/runtime/control"
)

// editByHand lets the user change the body of a dead letter in an editor. JSON is shown indented and stored compact. If
// the new body cannot be stored, its file is kept, so that no work is lost.
func editByHand(ctx context.Context, env OS, c *control.Client, out output, queue, id, note string) (err error) {
	editor := getenv(env, "VISUAL")
	if editor == "" {
		editor = getenv(env, "EDITOR")
	}
	if len(strings.Fields(editor)) == 0 {
		return usage("give the new body, --body TEXT or --body-file FILE, or set EDITOR to edit it by hand")
	}
	msgs, err := c.DeadLetters(ctx, queue, control.DeadLetterFilter{IDs: []string{id}})
	if err != nil {
		return err
	}
	if len(msgs) == 0 {
		return fmt.Errorf("no dead letter %s in queue %s", id, queue)
	}
	kind, pattern := msgs[0].ContentType, "eddy-*.txt"
	if msgs[0].Text == nil {
		return usage("a body of content type %s cannot be edited as text; replace it: --body JSON --content-type json",
			kind)
	}
	before := []byte(*msgs[0].Text)
	shown := before
	if kind == "json" {
		pattern = "eddy-*.json"
		var b bytes.Buffer
		if err := json.Indent(&b, before, "", "  "); err != nil {
			return fmt.Errorf("show message %s: %w", id, err)
		}
		shown = append(b.Bytes(), '\n')
	}
	after, file, err := inEditor(ctx, env, editor, pattern, shown)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n  what you wrote is in %s", err, file)
			return
		}
		err = os.Remove(file)
	}()
	if kind == "json" {
		var b bytes.Buffer
		if json.Compact(&b, after) == nil { // the session refuses what is not JSON, with the reason
			after = b.Bytes()
		}
	} else if !bytes.HasSuffix(before, []byte("\n")) {
		after = bytes.TrimSuffix(after, []byte("\n")) // editors end the last line
	}
	if bytes.Equal(after, before) {
		return out.done(struct{}{}, "Nothing changed")
	}
	if err := c.Edit(ctx, queue, control.Edit{ID: id, Note: note,
		MessageBody: control.MessageBody{Base64: after}}); err != nil {
		return err
	}
	return out.done(struct{}{}, "Edited %s", id)
}

// inEditor lets the user change text in an editor. It returns the changed text and the path of the file that holds it.
func inEditor(ctx context.Context, env OS, editor, pattern string, text []byte) (changed []byte, file string,
	err error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, "", err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, "", err
	}
	command := append(strings.Fields(editor), f.Name())
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = env.Stdin, env.Stdout, env.Stderr, env.Environ
	if err := cmd.Run(); err != nil {
		return nil, "", fmt.Errorf("editor %s: %w\n  the body is as it was; the file is %s", editor, err, f.Name())
	}
	changed, err = os.ReadFile(f.Name())
	return changed, f.Name(), err
}
