package storage

// Settle waits for background work, so that tests do not depend on its speed.
func (ns *Namespace) Settle() { ns.work.wait() }

// Shed frees descriptors.
func (ns *Namespace) Shed() bool { return ns.shed() }

// InBackground runs f as if it closed the file of that path.
func (ns *Namespace) InBackground(path string, f func()) { ns.work.start(path, f) }
