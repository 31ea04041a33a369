package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Faults makes the files of every DB that is opened with it fail as a broken disk would. It fails them below SQLite, so
// that SQLite's reaction is real. It is for tests of the packages that use this one. Any goroutine.
type Faults struct {
	mu     sync.Mutex
	full   bool // guarded by mu; writes and syncs say that there is no space
	broken bool // guarded by mu; reads, writes and syncs fail
	fixed  bool // guarded by mu; nothing can be written or created
	stuck  bool // guarded by mu; syncs fail
	room   int  // guarded by mu; bytes that still fit before the disk is full, -1 for any number
	armed  bool // guarded by mu; room counts

	stalled func()        // guarded by mu; called for every sync that has to wait
	resume  chan struct{} // guarded by mu; closed when syncs may go on, nil if none waits
}

// SetFull switches the full disk on or off.
func (f *Faults) SetFull(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full, f.armed = full, false
}

// FullAfter makes the disk full once n more bytes have been written.
func (f *Faults) FullAfter(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full, f.armed, f.room = false, true, n
}

// SetBroken switches a disk that neither reads nor writes on or off.
func (f *Faults) SetBroken(broken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = broken
}

// SetReadOnly makes the disk refuse all writes, or accept them again.
func (f *Faults) SetReadOnly(readOnly bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fixed = readOnly
}

// FailSyncs makes only syncs fail, or succeed again.
func (f *Faults) FailSyncs(fail bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stuck = fail
}

// StallSyncs makes the syncs of code beside SQLite (see Check) wait until resume is called, as on a disk that hangs.
// stalled is called for each.
func (f *Faults) StallSyncs(stalled func()) (resume func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ch := make(chan struct{})
	f.stalled, f.resume = stalled, ch
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.resume = nil
		close(ch)
	}
}

func (f *Faults) stall() {
	f.mu.Lock()
	ch, stalled := f.resume, f.stalled
	f.mu.Unlock()
	if ch != nil {
		stalled()
		<-ch
	}
}

func (f *Faults) readOnly() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fixed
}

// result is the result code with which an operation on n bytes fails, or SQLITE_OK if it may be done.
func (f *Faults) result(op int32, n int) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken || f.stuck && op == lib.SQLITE_IOERR_FSYNC {
		return op
	}
	if op == lib.SQLITE_IOERR_READ {
		return lib.SQLITE_OK
	}
	if f.armed && op == lib.SQLITE_IOERR_WRITE {
		if f.room -= n; f.room < 0 {
			f.full, f.armed = true, false
		}
	}
	if f.full {
		return lib.SQLITE_FULL
	}
	return lib.SQLITE_OK
}

// Check is the error with which writing n bytes, or with 0 a sync, would fail. It is for code beside SQLite that works
// on the same disk. A nil Faults never fails.
func (f *Faults) Check(n int) error {
	if f == nil {
		return nil
	}
	if f.readOnly() {
		return syscall.EROFS
	}
	op := int32(lib.SQLITE_IOERR_FSYNC)
	if n > 0 {
		op = lib.SQLITE_IOERR_WRITE
	} else {
		f.stall()
	}
	switch f.result(op, n) {
	case lib.SQLITE_OK:
		return nil
	case lib.SQLITE_FULL:
		return syscall.ENOSPC
	}
	return syscall.EIO
}

// faulty is the VFS that stands before the system's. It is registered when it
// is first asked for and stays for ever; its opened files are the system's own
// with some methods exchanged.
var faulty struct {
	once sync.Once
	err  error
	name uintptr // "eddy-faults", for sqlite3_open_v2

	real    uintptr  // the system's VFS
	byPath  sync.Map // database path → *Faults
	byFile  sync.Map // sqlite3_file → *openFault
	methods sync.Map // the system's io methods → the exchanged copy
}

// openFault is an open file of the faulty VFS.
type openFault struct {
	faults *Faults
	real   *lib.Tsqlite3_io_methods
}

// at is memory outside the Go heap seen as a T.
func at[T any](p uintptr) *T {
	var t T
	b := libc.GoBytes(p, int(unsafe.Sizeof(t)))
	return (*T)(unsafe.Pointer(&b[0]))
}

// callable turns an address that SQLite uses for a function into the function.
func callable[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ p uintptr }{p})) }

// faultyVFS gives the name of the VFS, and lets the database at path fail as f
// says.
func faultyVFS(path string, f *Faults) (uintptr, error) {
	faulty.once.Do(func() {
		tls := libc.NewTLS()
		defer tls.Close()
		faulty.real = lib.Xsqlite3_vfs_find(tls, 0)
		size := int(unsafe.Sizeof(lib.Tsqlite3_vfs{}))
		const name = "eddy-faults\x00"
		p := libc.Xmalloc(tls, libc.Tsize_t(size+len(name)))
		if faulty.real == 0 || p == 0 {
			faulty.err = errors.New("no VFS for faults")
			return
		}
		vfs := at[lib.Tsqlite3_vfs](p)
		*vfs = *at[lib.Tsqlite3_vfs](faulty.real)
		copy(libc.GoBytes(p+uintptr(size), len(name)), name)
		vfs.FzName, vfs.FpNext = p+uintptr(size), 0
		vfs.FxOpen = functionPointer(faultyOpen)
		if rc := lib.Xsqlite3_vfs_register(tls, p, 0); rc != lib.SQLITE_OK {
			faulty.err = fmt.Errorf("register a VFS for faults: result %d", rc)
			return
		}
		faulty.name = vfs.FzName
	})
	// SQLite hands the VFS the name without symbolic links.
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	faulty.byPath.Store(filepath.Join(dir, filepath.Base(path)), f)
	return faulty.name, faulty.err
}

type openFunc = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32

func faultyOpen(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	open := callable[openFunc](at[lib.Tsqlite3_vfs](faulty.real).FxOpen)
	if name == 0 {
		return open(tls, faulty.real, name, file, flags, out)
	}
	path := libc.GoString(name)
	if flags&lib.SQLITE_OPEN_WAL != 0 {
		path = path[:len(path)-len("-wal")]
	}
	f, ok := faulty.byPath.Load(path)
	if ok && f.(*Faults).readOnly() {
		if flags&lib.SQLITE_OPEN_MAIN_DB == 0 {
			return lib.SQLITE_CANTOPEN
		}
		flags = flags&^(lib.SQLITE_OPEN_READWRITE|lib.SQLITE_OPEN_CREATE) | lib.SQLITE_OPEN_READONLY
	}
	rc := open(tls, faulty.real, name, file, flags, out)
	if rc != lib.SQLITE_OK || !ok {
		return rc
	}
	head := at[lib.Tsqlite3_file](file)
	real := head.FpMethods
	copied, ok := faulty.methods.Load(real)
	if !ok {
		p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
		if p == 0 {
			return lib.SQLITE_NOMEM
		}
		m := at[lib.Tsqlite3_io_methods](p)
		*m = *at[lib.Tsqlite3_io_methods](real)
		m.FxClose, m.FxRead = functionPointer(faultyClose), functionPointer(faultyRead)
		m.FxWrite, m.FxSync = functionPointer(faultyWrite), functionPointer(faultySync)
		copied, _ = faulty.methods.LoadOrStore(real, p)
	}
	faulty.byFile.Store(file, &openFault{faults: f.(*Faults), real: at[lib.Tsqlite3_io_methods](real)})
	head.FpMethods = copied.(uintptr)
	return rc
}

func faultOf(file uintptr) *openFault {
	f, ok := faulty.byFile.Load(file)
	if !ok {
		panic("sqlite: a file of the faulty VFS that was never opened")
	}
	return f.(*openFault)
}

func faultyClose(tls *libc.TLS, file uintptr) int32 {
	f := faultOf(file)
	faulty.byFile.Delete(file)
	return callable[func(*libc.TLS, uintptr) int32](f.real.FxClose)(tls, file)
}

type transferFunc = func(tls *libc.TLS, file, buf uintptr, n int32, offset lib.Tsqlite3_int64) int32

func faultyRead(tls *libc.TLS, file, buf uintptr, n int32, offset lib.Tsqlite3_int64) int32 {
	f := faultOf(file)
	if rc := f.faults.result(lib.SQLITE_IOERR_READ, int(n)); rc != lib.SQLITE_OK {
		return rc
	}
	return callable[transferFunc](f.real.FxRead)(tls, file, buf, n, offset)
}

func faultyWrite(tls *libc.TLS, file, buf uintptr, n int32, offset lib.Tsqlite3_int64) int32 {
	f := faultOf(file)
	if rc := f.faults.result(lib.SQLITE_IOERR_WRITE, int(n)); rc != lib.SQLITE_OK {
		return rc
	}
	return callable[transferFunc](f.real.FxWrite)(tls, file, buf, n, offset)
}

func faultySync(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := faultOf(file)
	if rc := f.faults.result(lib.SQLITE_IOERR_FSYNC, 0); rc != lib.SQLITE_OK {
		return rc
	}
	return callable[func(*libc.TLS, uintptr, int32) int32](f.real.FxSync)(tls, file, flags)
}
