-- Settles, gives back, claims: want, token, visibility, number of settlements, then for each id, token, verdict, delay,
-- reason; then the tokens of lost exchanges. Answers microseconds until a hidden job is due, -1 for never, then for each
-- claimed job id, payload, attempt, enqueued, trace.
local want, token, visibility, count = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

-- Times that were counted from one which the clock has not reached: it was set back.
local clock = tonumber(redis.call('GET', prefix .. 'clock') or '0')
if now + 1000000 < clock then
  for _, hidden in ipairs({delayed, claimed}) do
    for _, id in ipairs(redis.call('ZRANGE', hidden, 0, -1)) do
      local times = redis.call('HMGET', job(id), 'due', 'since')
      local due, since = tonumber(times[1]), tonumber(times[2])
      if since > now then
        due = due - since + now
        redis.call('HSET', job(id), 'due', int(due), 'since', int(now))
        redis.call('ZADD', hidden, int(due), id)
      end
    end
  end
end
if now + 1000000 < clock or now > clock + 500000 then redis.call('SET', prefix .. 'clock', int(now)) end

local function unplace(id, fields)
  if redis.call('ZREM', claimed, id) == 0 then
    -- Its claim has run out, but nobody else has claimed it.
    redis.call('ZREM', ready, string.format('%016.0f%016.0f:', tonumber(fields[3]), tonumber(fields[2])) .. id)
  end
end

local at = 6
for _ = 1, count do
  local id, verdict = ARGV[at], ARGV[at + 2]
  local fields = redis.call('HMGET', job(id), 'token', 'seq', 'due', 'priority')
  if fields[1] and fields[1] ~= '' and fields[1] == ARGV[at + 1] then
    unplace(id, fields)
    if verdict == 'retried' then
      redis.call('HSET', job(id), 'reason', ARGV[at + 4])
      place(id, tonumber(fields[4]), now + tonumber(ARGV[at + 3]), now, tonumber(fields[2]))
      if want == 0 then wake() end
    else
      redis.call('DEL', job(id))
    end
  end
  at = at + 5
end

if at <= #ARGV then
  local lost = {}
  for i = at, #ARGV do lost[ARGV[i]] = true end
  for _, id in ipairs(redis.call('ZRANGE', claimed, 0, -1)) do
    local fields = redis.call('HMGET', job(id), 'token', 'seq', 'since', 'priority')
    if lost[fields[1]] then
      redis.call('ZREM', claimed, id)
      redis.call('HINCRBY', job(id), 'attempt', -1)
      place(id, tonumber(fields[4]), math.min(tonumber(fields[3]), now), 0, tonumber(fields[2]))
    end
  end
  wake()
end
if want == 0 then return {-1} end

-- Jobs whose time has come; a claimed one keeps its token, so that a late success counts.
for _, hidden in ipairs({delayed, claimed}) do
  for _, id in ipairs(redis.call('ZRANGE', hidden, '-inf', int(now), 'BYSCORE', 'LIMIT', 0, 1000)) do
    local fields = redis.call('HMGET', job(id), 'priority', 'due', 'seq')
    redis.call('ZREM', hidden, id)
    ready_at(id, tonumber(fields[1]), tonumber(fields[2]), tonumber(fields[3]))
  end
end

local answer = {-1}
local popped = redis.call('ZPOPMIN', ready, want)
for i = 1, #popped, 2 do
  local id = string.sub(popped[i], 34)
  local key, until_ = job(id), now + visibility
  redis.call('HSET', key, 'token', token, 'due', int(until_), 'since', int(now))
  redis.call('ZADD', claimed, int(until_), id)
  local attempt = redis.call('HINCRBY', key, 'attempt', 1)
  local fields = redis.call('HMGET', key, 'payload', 'enqueued', 'trace')
  answer[#answer + 1] = id
  answer[#answer + 1] = fields[1]
  answer[#answer + 1] = attempt
  answer[#answer + 1] = fields[2]
  answer[#answer + 1] = fields[3]
end
if #popped == 2 * want and redis.call('ZCARD', ready) > 0 then wake() end

for _, hidden in ipairs({delayed, claimed}) do
  local first = redis.call('ZRANGE', hidden, 0, 0, 'WITHSCORES')
  if first[2] then
    local wait = math.max(tonumber(first[2]) - now, 0)
    if answer[1] < 0 or wait < answer[1] then answer[1] = wait end
  end
end
return answer
