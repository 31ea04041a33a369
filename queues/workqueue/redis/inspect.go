package redis

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	goredis "github.com/redis/go-redis/v9"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// time is what the store's clock shows.
func (s *store) time(ctx context.Context) (time.Time, error) {
	if s.clock != nil {
		return s.clock.Now(), nil
	}
	return s.client.Time(ctx).Result()
}

// place is where jobs of a topic are.
type place struct {
	key   string
	state work.State
}

var (
	hashed   = []place{{"ready", work.Ready}, {"delayed", work.Delayed}, {"claimed", work.InFlight}}
	anywhere = append([]place{{"fresh", work.Ready}}, hashed...)
)

// pageLength is how many jobs are read at once.
const pageLength = 200

// each calls f for jobs of a topic, place by place and in the order in which they will be delivered from there, at
// most limit of a place; a negative limit is none.
func (s *store) each(ctx context.Context, topic string, in []place, limit int, f func(*work.JobInfo)) error {
	now, err := s.time(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{} // a job may move on while we look
	for _, place := range in {
		left := limit
		for start := 0; left != 0; start += pageLength {
			n := pageLength
			if left >= 0 {
				n = min(n, left)
				left -= n
			}
			jobs, more, err := s.page(ctx, topic, place, start, n)
			if err != nil {
				return err
			}
			for i := range jobs {
				if j := &jobs[i]; !seen[j.ID] {
					seen[j.ID] = true
					if !j.Due.After(now) {
						j.State = work.Ready
					}
					f(j)
				}
			}
			if !more {
				break
			}
		}
	}
	return nil
}

// page reads up to n jobs of a place from start on, and reports whether there may be more.
func (s *store) page(ctx context.Context, topic string, in place, start, n int) (out []work.JobInfo, more bool,
	err error) {
	key, first, last := prefix(topic)+in.key, int64(start), int64(start+n-1)
	if in.key == "fresh" {
		items, err := s.client.LRange(ctx, key, first, last).Result()
		for _, item := range items {
			j, err := parseFresh(topic, item)
			if err != nil {
				return nil, false, err
			}
			out = append(out, j)
		}
		return out, len(items) == n, err
	}
	members, err := s.client.ZRange(ctx, key, first, last).Result()
	if err != nil || len(members) == 0 {
		return nil, false, err
	}
	pipe := s.client.Pipeline()
	hashes := make([]*goredis.MapStringStringCmd, len(members))
	for i, m := range members {
		if in.state == work.Ready && len(m) > 33 {
			members[i] = m[33:]
		}
		hashes[i] = pipe.HGetAll(ctx, prefix(topic)+"job:"+members[i])
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, false, err
	}
	for i, h := range hashes {
		if fields := h.Val(); len(fields) > 0 {
			out = append(out, jobInfo(members[i], topic, fields, in.state))
		}
	}
	return out, len(members) == n, nil
}

func jobInfo(id, topic string, fields map[string]string, state work.State) work.JobInfo {
	n := func(field string) int64 {
		v, _ := strconv.ParseInt(fields[field], 10, 64) // the scripts write nothing but numbers
		return v
	}
	return work.JobInfo{
		Job: queue.Job{
			ID: id, Topic: topic, Payload: []byte(fields["payload"]), Attempt: int(n("attempt")),
			EnqueuedAt: time.UnixMicro(n("enqueued")).UTC(),
		},
		State: state, Priority: queue.Priority(n("priority")), Due: time.UnixMicro(n("due")).UTC(),
		Origin: fields["origin"], Reason: fields["reason"],
	}
}

// Topics implements work.Inspector. The oldest job is looked for among the first hundred of each kind.
func (s *store) Topics(ctx context.Context) (out []work.TopicInfo, err error) {
	names, err := s.client.SMembers(ctx, topicsKey).Result()
	if err != nil {
		return nil, err
	}
	now, err := s.time(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		p, due := prefix(name), micros(now)
		pipe := s.client.Pipeline()
		fresh, ready := pipe.LLen(ctx, p+"fresh"), pipe.ZCard(ctx, p+"ready")
		delayed, claimed := pipe.ZCard(ctx, p+"delayed"), pipe.ZCard(ctx, p+"claimed")
		awake, expired := pipe.ZCount(ctx, p+"delayed", "-inf", due), pipe.ZCount(ctx, p+"claimed", "-inf", due)
		if _, err := pipe.Exec(ctx); err != nil {
			return nil, err
		}
		i := work.TopicInfo{
			Topic: name, Ready: fresh.Val() + ready.Val() + awake.Val() + expired.Val(),
			Delayed: delayed.Val() - awake.Val(), Claimed: claimed.Val() - expired.Val(),
		}
		if i.Ready+i.Delayed+i.Claimed == 0 {
			continue
		}
		err := s.each(ctx, name, anywhere, 100, func(j *work.JobInfo) {
			if i.Oldest.IsZero() || j.EnqueuedAt.Before(i.Oldest) {
				i.Oldest = j.EnqueuedAt
			}
		})
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// Jobs implements work.Inspector.
func (s *store) Jobs(ctx context.Context, topic string, limit int) (out []work.JobInfo, err error) {
	err = s.each(ctx, topic, anywhere, limit, func(j *work.JobInfo) { out = append(out, *j) })
	slices.SortStableFunc(out, func(a, b work.JobInfo) int {
		switch {
		case a.State != work.Ready && b.State != work.Ready:
			return a.Due.Compare(b.Due)
		case a.State != b.State:
			return cmp.Compare(min(a.State, 1), min(b.State, 1))
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Due.Compare(b.Due))
	})
	if limit >= 0 && len(out) > limit {
		out = out[:limit]
	}
	return out, err
}

// Dead implements work.Inspector. A dead job is never fresh.
func (s *store) Dead(ctx context.Context, origin string, limit int) (out []work.JobInfo, err error) {
	topics, err := s.client.SMembers(ctx, deadKey).Result()
	if err != nil {
		return nil, err
	}
	slices.Sort(topics)
	for _, topic := range topics {
		err := s.each(ctx, topic, hashed, -1, func(j *work.JobInfo) {
			if j.Origin != "" && (origin == "" || j.Origin == origin) && (limit < 0 || len(out) < limit) {
				out = append(out, *j)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Requeue implements work.Inspector. A job is claimed in its dead letter topic, put back where it failed, and then
// removed: a crash on the way leaves it in one of them at least.
func (s *store) Requeue(ctx context.Context, origin string, ids []string) (n int, err error) {
	dead, err := s.Dead(ctx, origin, -1)
	if err != nil {
		return 0, err
	}
	for _, j := range dead {
		if len(ids) > 0 && !slices.Contains(ids, j.ID) {
			continue
		}
		token := uuid.NewString()
		fields, err := s.take.Run(ctx, s.client, []string{prefix(j.Topic)}, s.now(), token,
			time.Minute.Microseconds(), j.ID).StringSlice()
		if errors.Is(err, goredis.Nil) {
			continue // a worker has it
		}
		if err != nil {
			return n, err
		}
		err = s.put.Run(ctx, s.client, []string{prefix(origin)}, s.now(), 0, "", fields[1], j.ID, fields[0],
			fields[2], fields[3], "", "").Err()
		if err != nil {
			return n, err
		}
		_, err = s.Exchange(ctx, &work.Exchange{Topic: j.Topic, Settle: []work.Settlement{{ID: j.ID, Token: token,
			Verdict: work.Acked}}})
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Drain implements work.Inspector.
func (s *store) Drain(ctx context.Context, topic string) (n int, err error) {
	pipe := s.client.TxPipeline()
	fresh := pipe.LLen(ctx, prefix(topic)+"fresh")
	pipe.Del(ctx, prefix(topic)+"fresh")
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, err
	}
	n = int(fresh.Val())
	var jobs []work.JobInfo
	err = s.each(ctx, topic, hashed, -1, func(j *work.JobInfo) { jobs = append(jobs, *j) })
	if err != nil {
		return n, err
	}
	for _, j := range jobs {
		err := s.take.Run(ctx, s.client, []string{prefix(topic)}, s.now(), "", 0, j.ID).Err()
		if errors.Is(err, goredis.Nil) {
			continue // a worker has it
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
