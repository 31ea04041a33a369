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

-- When the first hidden job is due, and jobs whose time has come; a claimed one keeps its token, so that a late success
-- counts.
local next_due
for _, hidden in ipairs({delayed, claimed}) do
  local first = redis.call('ZRANGE', hidden, 0, 0, 'WITHSCORES')
  if first[1] and tonumber(first[2]) <= now then
    for _, id in ipairs(redis.call('ZRANGE', hidden, '-inf', int(now), 'BYSCORE', 'LIMIT', 0, 1000)) do
      local fields = redis.call('HMGET', job(id), 'priority', 'due', 'seq')
      redis.call('ZREM', hidden, id)
      ready_at(id, tonumber(fields[1]), tonumber(fields[2]), tonumber(fields[3]))
    end
    first = redis.call('ZRANGE', hidden, 0, 0, 'WITHSCORES')
  end
  local due = tonumber(first[2])
  if due and (not next_due or due < next_due) then next_due = due end
end

local answer, now_, until_ = {-1}, int(now), int(now + visibility)
local function deliver(id, payload, attempt, enqueued, trace)
  redis.call('ZADD', claimed, until_, id)
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4], answer[n + 5] = id, payload, attempt, enqueued, trace
end

local function take_ready(count)
  local popped = redis.call('ZPOPMIN', ready, count)
  for i = 1, #popped, 2 do
    local id = string.sub(popped[i], 34)
    redis.call('HSET', job(id), 'token', token, 'due', until_, 'since', now_)
    local attempt = redis.call('HINCRBY', job(id), 'attempt', 1)
    local fields = redis.call('HMGET', job(id), 'payload', 'enqueued', 'trace')
    deliver(id, fields[1], attempt, fields[2], fields[3])
  end
  return #popped / 2
end

-- A fresh job gets its hash now. One that has a hash was pushed twice, by a client that heard no answer.
local function take_fresh(count)
  local popped = redis.call('LPOP', fresh, count)
  if not popped then return 0 end
  local seq = redis.call('INCRBY', prefix .. 'seq', #popped) - #popped
  local taken = 0
  for i, item in ipairs(popped) do
    local id, enqueued = string.sub(item, 1, 36), string.sub(item, 38, 53)
    local space = string.find(item, ' ', 55, true)
    local trace, payload = string.sub(item, 55, space - 1), string.sub(item, space + 1)
    if redis.call('EXISTS', job(id)) == 0 then
      if trace == '-' then
        trace = false
        redis.call('HSET', job(id), 'payload', payload, 'priority', '0', 'attempt', '1', 'enqueued', enqueued,
          'seq', seq + i, 'due', until_, 'since', now_, 'token', token)
      else
        redis.call('HSET', job(id), 'payload', payload, 'priority', '0', 'attempt', '1', 'enqueued', enqueued,
          'seq', seq + i, 'due', until_, 'since', now_, 'token', token, 'trace', trace)
      end
      deliver(id, payload, 1, enqueued, trace)
      taken = taken + 1
    end
  end
  return taken
end

-- Fresh jobs have normal priority and are eligible since they were enqueued.
local left = want
while left > 0 do
  local taken
  local first = redis.call('ZRANGE', ready, 0, 0, 'WITHSCORES')
  if not first[1] then
    taken = take_fresh(left)
    if taken == 0 and redis.call('EXISTS', fresh) == 0 then break end
  else
    local head = redis.call('LINDEX', fresh, 0)
    local priority = -tonumber(first[2])
    if not head then
      taken = take_ready(left)
    elseif priority > 0 or priority == 0 and string.sub(first[1], 1, 16) <= string.sub(head, 38, 53) then
      taken = take_ready(1)
    else
      taken = take_fresh(1)
    end
  end
  left = left - taken
end
if left == 0 and (redis.call('EXISTS', fresh) == 1 or redis.call('EXISTS', ready) == 1) then wake() end

if left < want and (not next_due or now + visibility < next_due) then next_due = now + visibility end
if next_due then answer[1] = math.max(next_due - now, 0) end
return answer
