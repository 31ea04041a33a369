-- Adds jobs: delay, absolute time or '', priority, then for each job id, payload, enqueued or '', trace, origin, reason.
-- A job that is there already stays as it is.
local delay, run_at, priority = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local due, since = now + delay, now
if run_at then due, since = math.max(run_at, now), 0 end
local n = 0
for i = 5, #ARGV, 6 do
  local id = ARGV[i]
  if redis.call('EXISTS', job(id)) == 0 then
    local seq = redis.call('INCR', prefix .. 'seq')
    local enqueued = ARGV[i + 2]
    if enqueued == '' then enqueued = int(now) end
    local more, j = {}, 0
    for field, value in pairs({trace = ARGV[i + 3], origin = ARGV[i + 4], reason = ARGV[i + 5]}) do
      if value ~= '' then more[j + 1], more[j + 2], j = field, value, j + 2 end
    end
    place(id, priority, due, since, seq, 'payload', ARGV[i + 1], 'priority', priority, 'attempt', 0,
      'enqueued', enqueued, 'seq', seq, unpack(more))
    n = n + 1
  end
end
wake()
return n
