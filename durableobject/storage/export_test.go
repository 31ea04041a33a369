package storage

// Settle waits for background work, so that tests do not depend on its speed.
func (ns *Namespace) Settle() { ns.work.wait() }
