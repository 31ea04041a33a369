package sqlite

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// counts approximates the platform's rows read and rows written (SQL15). The
// platform patches SQLite to count in the byte code; here the counters that
// SQLite keeps anyway are read, and the byte code says what each step costs:
//
//   - rows read: one for every cursor that starts, one for every step to a next
//     row, and the result of a counting instruction;
//   - rows written: the rows that changed, times the records that the byte code
//     writes for one of them (the row and its index entries).
//
// Exact for scans and searches of one table and for INSERT, UPDATE and DELETE
// without triggers; too low where a loop runs inside another.
type counts struct {
	starts    int64 // cursors positioned outside of loops
	counting  bool  // the result is counted by an instruction of its own
	probing   bool  // every inserted row is looked up first
	rowCost   int64 // records written for each changed row
	fixedCost int64 // records written once, into the schema
	indexing  bool  // an index is made of the rows that are there, through a sorter

	extraRead int64 // rows counted by an instruction, or looked up before they were inserted
	written   int64 // known at the end
}

// opcodes says what an instruction means for the counts.
var opcodes = map[uint8]opKind{
	lib.OP_Rewind: opStart, lib.OP_Last: opStart, lib.OP_SeekGE: opStart, lib.OP_SeekGT: opStart,
	lib.OP_SeekLE: opStart,
	lib.OP_SeekLT: opStart, lib.OP_SeekRowid: opStart, lib.OP_Sort: opStart, lib.OP_SorterSort: opStart,
	lib.OP_NotExists: opProbe, lib.OP_Count: opCount,
	lib.OP_Insert: opInsert, lib.OP_IdxInsert: opInsert,
	lib.OP_OpenEphemeral: opEphemeral, lib.OP_OpenAutoindex: opEphemeral, lib.OP_SorterOpen: opEphemeral,
	lib.OP_OpenPseudo:   opEphemeral,
	lib.OP_SorterInsert: opSort,
	lib.OP_DropTable:    opDrop, lib.OP_DropIndex: opDrop, lib.OP_DropTrigger: opDrop,
}

type opKind int

const (
	opOther opKind = iota
	opStart
	opProbe // looks whether a row exists
	opCount
	opInsert
	opEphemeral
	opSort
	opDrop
)

// flagCountsAsChange marks the instruction that counts a row as changed.
const flagCountsAsChange = 0x01

// flagIsNoop marks an insert for hooks only: a table without rowids has its rows in an index.
const flagIsNoop = 0x40

// flagIsUpdate marks the instruction that writes a row back.
const flagIsUpdate = 0x04

// analyse reads the byte code of a statement once, when it is compiled.
func analyse(s *Stmt) counts {
	c := counts{rowCost: 1}
	if lib.Xsqlite3_stmt_isexplain(s.db.tls, s.stmt) != 0 {
		return c // it does not run
	}
	prog := vdbeOf(s)
	ephemeral := map[int32]bool{} // also those that are opened behind the place where they are written
	for _, op := range prog {
		if opcodes[op.Fopcode] == opEphemeral {
			ephemeral[op.Fp1] = true
		}
	}
	var records, changes int64
	probes, inserts, sorts, indexes, drops := false, false, false, false, false
	for _, op := range prog {
		switch opcodes[op.Fopcode] {
		case opDrop:
			drops = true
		case opStart:
			c.starts++
		case opProbe:
			probes = true
		case opCount:
			c.counting = true
		case opSort:
			sorts = true
		case opInsert:
			if ephemeral[op.Fp1] || op.Fopcode == lib.OP_Insert && op.Fp5&flagIsNoop != 0 {
				continue
			}
			records++
			indexes = indexes || op.Fopcode == lib.OP_IdxInsert
			if op.Fopcode == lib.OP_Insert && op.Fp5&flagIsUpdate == 0 {
				inserts = true
			}
			if op.Fp5&flagCountsAsChange != 0 {
				changes++
			}
		}
	}
	if drops {
		c.rowCost = 0
		return c
	}
	c.probing = probes && inserts
	if changes > 0 {
		c.rowCost = max(records/changes, 1)
	} else {
		c.fixedCost = records
		c.indexing = sorts && indexes
	}
	return c
}

// vdbeOf is the byte code of a statement.
func vdbeOf(s *Stmt) []lib.TVdbeOp {
	head := libc.GoBytes(s.stmt, int(unsafe.Sizeof(lib.TVdbe{})))
	v := (*lib.TVdbe)(unsafe.Pointer(&head[0]))
	if v.FaOp == 0 || v.FnOp <= 0 {
		return nil
	}
	raw := libc.GoBytes(v.FaOp, int(v.FnOp)*int(unsafe.Sizeof(lib.TVdbeOp{})))
	return unsafe.Slice((*lib.TVdbeOp)(unsafe.Pointer(&raw[0])), int(v.FnOp))
}

func (c *counts) row(s *Stmt) {
	if c.counting && s.columns == 1 {
		c.extraRead = s.Int(0)
	}
}

func (c *counts) done(s *Stmt) {
	if s.readOnly || s.trust == Trusted {
		return
	}
	c.written = c.fixedCost
	if c.indexing {
		// Every row was read once from the table and once from the sorter, besides
		// two rows of the schema; none and one look the same.
		c.written, c.extraRead = c.fixedCost+s.steps()/2, 2
	}
	if c.fixedCost == 0 {
		c.written = s.db.Changes() * c.rowCost
		if c.probing {
			c.extraRead = s.db.Changes()
		}
	}
}

func (c *counts) reset(s *Stmt) {
	if s.trust == Trusted {
		return
	}
	c.extraRead, c.written = 0, 0
	for _, counter := range stepCounters {
		lib.Xsqlite3_stmt_status(s.db.tls, s.stmt, counter, 1)
	}
}

// stepCounters are those that SQLite increments when a cursor moves on: plain,
// in a full scan, in an automatic index.
var stepCounters = []int32{0, lib.SQLITE_STMTSTATUS_FULLSCAN_STEP, lib.SQLITE_STMTSTATUS_AUTOINDEX}

// RowsRead is the number of rows read so far; it grows with Step.
func (s *Stmt) RowsRead() int64 {
	if s.stmt == 0 {
		return 0
	}
	if s.counts.counting {
		return s.counts.extraRead
	}
	return s.counts.starts + s.counts.extraRead + s.steps()
}

// steps is how often cursors moved on.
func (s *Stmt) steps() (n int64) {
	for _, counter := range stepCounters {
		n += int64(lib.Xsqlite3_stmt_status(s.db.tls, s.stmt, counter, 0))
	}
	return n
}

// RowsWritten is the number of records written; it is known when Step has
// reported the end.
func (s *Stmt) RowsWritten() int64 { return s.counts.written }
