// Command eddy runs Cloudflare Workers that use Queues and Durable Objects on this machine.
package main

import (
	"os"

	"eddy/runtime/engine/wasm"
	"eddy/runtime/running"
)

func main() {
	paceHeap()
	wasm.CacheIn(running.CodeDir(os.Environ()))
	os.Exit(Run(OS{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
		Getwd: os.Getwd, Chdir: os.Chdir,
	}))
}
