package rpc

import "github.com/dop251/goja"

// Crossed is v as it arrives when it has been sent and nobody keeps the connection: a copy. It throws what cannot be
// sent (RPC10). What lives only with a connection, a stub or a stream, makes no copy: refusal says so, as storage does.
func (k *Kit) Crossed(v goja.Value) (copied goja.Value, refusal string, err error) {
	m := k.encode(v, &sending{kit: k, scope: k.h.Scope(), result: true})
	if len(m.handles) > 0 {
		refusal = "ReadableStream can only be serialized for RPC."
		if _, ok := m.handles[0].(clientHandle); ok {
			refusal = "RpcStub cannot be serialized in this context."
		}
		m.release()
		return nil, refusal, nil
	}
	copied, _, err = k.decode(m)
	return copied, "", err
}
