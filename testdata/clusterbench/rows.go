package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// watchRows writes short-lived rows at a rate, a second's worth at a time, and shows each minute what PostgreSQL says
// of the table with the values.
func watchRows(ctx context.Context, o options, tmp string) error {
	s, err := newSide(ctx, o, tmp, "rows", true, false)
	if err != nil {
		return err
	}
	defer s.end()
	db, err := pgx.Connect(ctx, s.database.URL)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(ctx) }() // nothing was written
	fmt.Println("| minute | done/s | a second took | rows written | live | dead | table | with index | autovacuums " +
		"| WAL |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	var done, late atomic.Int64
	end := time.After(o.rows)
	minute, second := time.NewTicker(time.Minute), time.NewTicker(time.Second)
	defer minute.Stop()
	defer second.Stop()
	var slowest atomic.Int64
	minutes := 0
	free := make(chan struct{}, 3) // seconds that may be in flight
	for {
		select {
		case <-second.C:
			select {
			case free <- struct{}{}:
			default:
				late.Add(1) // the rate is more than this machine can
				continue
			}
			go func() {
				defer func() { <-free }()
				began := time.Now()
				if _, err := s.ask(ctx, fmt.Sprintf("/rows?many=16&n=%d", o.rate)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				done.Add(int64(2 * o.rate))
				slowest.Store(max(slowest.Load(), int64(time.Since(began))))
			}()
		case <-minute.C:
			minutes++
			if err := shows(ctx, db, minutes, done.Swap(0)/60, time.Duration(slowest.Swap(0))); err != nil {
				return err
			}
		case <-end:
			for range cap(free) {
				free <- struct{}{} // what is in flight ends first
			}
			fmt.Printf("\n%d seconds of %d were left out, because three were in flight\n", late.Load(), int(o.rows.Seconds()))
			return nil
		}
	}
}

const tablesNow = `select n_tup_ins + n_tup_upd, n_live_tup, n_dead_tup, pg_table_size(relid),
	pg_total_relation_size(relid), autovacuum_count, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint
	from pg_stat_user_tables where relname = 'eddy_kv'`

func shows(ctx context.Context, db *pgx.Conn, minute int, rate int64, slowest time.Duration) error {
	var written, live, dead, table, all, vacuums, wal int64
	if err := db.QueryRow(ctx, tablesNow).Scan(&written, &live, &dead, &table, &all, &vacuums, &wal); err != nil {
		return err
	}
	fmt.Printf("| %d | %d | %v | %d | %d | %d | %.1f MB | %.1f MB | %d | %.0f MB |\n", minute, rate,
		slowest.Round(time.Millisecond), written, live, dead, float64(table)/(1<<20), float64(all)/(1<<20), vacuums,
		float64(wal)/(1<<20))
	return nil
}
