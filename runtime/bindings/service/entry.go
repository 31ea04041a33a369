package service

import "eddy/runtime/rpc"

// Entry is the Client of an entrypoint of a Worker of this session, for calls that come from another session: "" is the
// default entrypoint, props are encoded, nil is {}. Any goroutine.
func Entry(dir Directory, worker, entrypoint string, props []byte) rpc.Client {
	return &target{dir: dir, worker: worker, entrypoint: entrypoint, props: props}
}
