// Command eddy runs Cloudflare Workers that use Queues and Durable Objects on this machine.
package main

import (
	"os"

	"eddy/runtime/engine/wasm"
	"eddy/runtime/running"
	"eddy/runtime/worker"
)

func main() {
	paceHeap()
	wasm.CacheIn(running.CodeDir(os.Environ()))
	if len(os.Args) > 1 && os.Args[1] == "dev" {
		go worker.Prepare() // beside the making of all commands, and what the session begins with
	}
	os.Exit(Run(OS{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
		Getwd: os.Getwd, Chdir: os.Chdir,
	}))
}
