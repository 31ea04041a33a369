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

// each calls f for every job of a topic, in the order in which they will be delivered, until it returns false.
func (s *store) each(ctx context.Context, topic string, f func(*work.JobInfo) bool) error {
	now, err := s.time(ctx)
	if err != nil {
		return err
	}
	p := prefix(topic)
	const page = 200
	seen := map[string]bool{} // a job may move on while we look
	for _, in := range []struct {
		key   string
		state work.State
	}{{"ready", work.Ready}, {"delayed", work.Delayed}, {"claimed", work.InFlight}} {
		for start := int64(0); ; start += page {
			members, err := s.client.ZRange(ctx, p+in.key, start, start+page-1).Result()
			if err != nil {
				return err
			}
			pipe := s.client.Pipeline()
			for i, m := range members {
				if in.state == work.Ready && len(m) > 33 {
					members[i] = m[33:]
				}
				pipe.HGetAll(ctx, p+"job:"+members[i])
			}
			hashes, err := pipe.Exec(ctx)
			if err != nil {
				return err
			}
			for i, h := range hashes {
				fields := h.(*goredis.MapStringStringCmd).Val()
				if len(fields) == 0 || seen[members[i]] {
					continue
				}
				seen[members[i]] = true
				info := jobInfo(members[i], topic, fields, in.state)
				if !info.Due.After(now) {
					info.State = work.Ready
				}
				if !f(&info) {
					return nil
				}
			}
			if len(members) < page {
				break
			}
		}
	}
	return nil
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
		ready, delayed, claimed := pipe.ZCard(ctx, p+"ready"), pipe.ZCard(ctx, p+"delayed"), pipe.ZCard(ctx,
			p+"claimed")
		awake, expired := pipe.ZCount(ctx, p+"delayed", "-inf", due), pipe.ZCount(ctx, p+"claimed", "-inf", due)
		if _, err := pipe.Exec(ctx); err != nil {
			return nil, err
		}
		i := work.TopicInfo{
			Topic: name, Ready: ready.Val() + awake.Val() + expired.Val(), Delayed: delayed.Val() - awake.Val(),
			Claimed: claimed.Val() - expired.Val(),
		}
		if i.Ready+i.Delayed+i.Claimed == 0 {
			continue
		}
		looked := 0
		err := s.each(ctx, name, func(j *work.JobInfo) bool {
			if i.Oldest.IsZero() || j.EnqueuedAt.Before(i.Oldest) {
				i.Oldest = j.EnqueuedAt
			}
			looked++
			return looked < 300
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
	err = s.each(ctx, topic, func(j *work.JobInfo) bool {
		out = append(out, *j)
		return limit < 0 || len(out) < limit
	})
	slices.SortStableFunc(out, func(a, b work.JobInfo) int {
		if a.State == work.Ready || b.State == work.Ready {
			return cmp.Compare(min(a.State, 1), min(b.State, 1))
		}
		return a.Due.Compare(b.Due)
	})
	return out, err
}

// Dead implements work.Inspector.
func (s *store) Dead(ctx context.Context, origin string, limit int) (out []work.JobInfo, err error) {
	topics, err := s.client.SMembers(ctx, deadKey).Result()
	if err != nil {
		return nil, err
	}
	slices.Sort(topics)
	for _, topic := range topics {
		err := s.each(ctx, topic, func(j *work.JobInfo) bool {
			if j.Origin != "" && (origin == "" || j.Origin == origin) {
				out = append(out, *j)
			}
			return limit < 0 || len(out) < limit
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
	jobs, err := s.Jobs(ctx, topic, -1)
	if err != nil {
		return 0, err
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
