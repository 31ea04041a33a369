-- What both scripts begin with. KEYS[1] is the topic's prefix, "workqueue:{<topic>}:", ARGV[1] the time in microseconds,
-- or empty for the server's.
local prefix = KEYS[1]
local ready, fresh = prefix .. 'ready', prefix .. 'fresh'
local delayed, claimed = prefix .. 'delayed', prefix .. 'claimed'

local function int(n) return string.format('%.0f', n) end

local now = tonumber(ARGV[1])
if not now then
  local t = redis.call('TIME')
  now = t[1] * 1000000 + t[2]
end

local function job(id) return prefix .. 'job:' .. id end

-- Places a job among the ready ones: by priority, then by due, then by arrival.
local function ready_at(id, priority, due, seq)
  redis.call('ZADD', ready, -priority, string.format('%016.0f%016.0f:', due, seq) .. id)
end

-- Places a job by its time; since is what a relative time was counted from, 0 for an absolute one. What follows is
-- further fields of the job, so that they are written in one go.
local function place(id, priority, due, since, seq, ...)
  local hidden = due > now
  redis.call('HSET', job(id), 'due', int(due), 'since', hidden and int(since) or '0', 'token', '', ...)
  if hidden then
    redis.call('ZADD', delayed, int(due), id)
  else
    ready_at(id, priority, due, seq)
  end
end

-- One waiting subscription is enough: it passes the word on if there is more than it can take.
local function wake() redis.call('ZADD', prefix .. 'signal', 0, '1') end
