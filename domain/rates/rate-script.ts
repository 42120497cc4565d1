import { script } from '../../platform/redis/open-redis.ts'
import { accountWindowMs, bucketCount, bucketsPerWindow, maxCount } from './window.ts'

/**
 * Returns the Redis key of an API key's revision. All Redis keys of an account share its hash tag, so that one script
 * can access them on a cluster.
 */
export function revisionName(prefix: string, accountId: string, keyId: string): string {
  return `${prefix}{${accountId}}:rev:${keyId}`
}

/** Returns the Redis key of an API key's windows. */
export function windowsName(prefix: string, accountId: string, keyId: string): string {
  return `${prefix}{${accountId}}:windows:${keyId}`
}

/** Returns the Redis key of the window that all API keys of an account share. */
export function accountWindowName(prefix: string, accountId: string): string {
  return `${prefix}{${accountId}}:windows`
}

/** Number of integers that the script returns for each entry. */
export const answerLength = 9

/** The Lua expression of Redis's clock, in seconds and microseconds. All processes count windows by it. */
const redisTime = "redis.call('TIME')"

/** The beginning of both scripts. Counts and indexes are doubles, so that no count of tokens overflows. */
const head = `
local N, PER, SIZE, MOST = ${bucketCount}, ${bucketsPerWindow}, ${8 * (bucketCount + 1)}, ${maxCount}
local FORMAT = '>' .. string.rep('d', N + 1)
`

/** A Lua function that returns a window's index, the sum of its counts, and its newest count. */
const counts = Array.from({ length: bucketCount }, (_, at) => `c${at + 1}`)
const total = `local function total(index, ${counts.join(', ')})
  return index, ${counts.join(' + ')}, c${bucketCount}
end
`

/**
 * The script that admits requests. An entry represents requests of one key with the same amounts, in order. The script
 * reads the key's revision, checks four windows of the key and one of its account, and counts in all of them as many of
 * the requests as fit, and none of the others. An entry with a negative number of requests was admitted by a process:
 * it has amounts in place of limits, and all of them are counted.
 *
 * KEYS, three per entry: revision, state of the key's windows, state of the account's window. ARGV, nine per entry:
 * number of requests; limit (-1: none) and length in ms of burst; limits of rpm (60 s), tph, tpd and account; the
 * amount of each request in request windows and in token windows. A window in which a request counts nothing does not
 * refuse it. Returns nine integers per entry: revision (-1: unknown), number of admitted requests, number of the window
 * that refuses the rest (0: none), milliseconds until the first of the rest fits, and the remaining amount of each
 * window (-1: unlimited); at the end, once, the time in ms.
 *
 * The state is one packed string: per window the index of its newest bucket and the counts, oldest first. Windows after
 * the last window that ever had a limit are missing. A clock that is set back a little does not move a window back. A
 * window whose newest bucket has not changed is not unpacked.
 *
 * `time` is a Lua expression, so that tests can set the clock.
 */
export function composeRateScript(time = redisTime) {
  return script(`${head}
local time = ${time}
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lengths = {0, 60000, 3600000, 86400000, ${accountWindowMs}}
local answer = {}

local function slide(state, section, length)
  local index = math.floor(now * PER / length)
  local kept = {}
  if #state >= section * SIZE then kept = {struct.unpack(FORMAT, state, (section - 1) * SIZE + 1)} end
  local shift = kept[1] and index - kept[1] or N
  if shift <= -N then shift = N end
  if shift < 0 then index, shift = kept[1], 0 end
  local counts, sum = {}, 0
  for i = 1, N do
    counts[i] = shift + i <= N and kept[shift + i + 1] or 0
    sum = sum + counts[i]
  end
  return {index = index, counts = counts, sum = sum, newest = counts[N]}
end

${total}
local function read(state, section, length)
  if #state >= section * SIZE then
    local index, sum, newest = total(struct.unpack(FORMAT, state, (section - 1) * SIZE + 1))
    if index == math.floor(now * PER / length) then return {index = index, sum = sum, newest = newest} end
  end
  return slide(state, section, length)
end

local function pack(state, section, window)
  local newest = struct.pack('>d', window.newest)
  if not window.counts then return string.sub(state, (section - 1) * SIZE + 1, section * SIZE - 8) .. newest end
  window.counts[N] = window.newest
  return struct.pack(FORMAT, window.index, unpack(window.counts))
end

local function wait(state, section, limit, length, amount, added)
  local window = slide(state, section, length)
  window.counts[N] = window.counts[N] + added
  local left = window.sum + added
  for i = 1, N do
    left = left - window.counts[i]
    if left + amount <= limit then
      return math.ceil((window.index + i) * length / PER - now)
    end
  end
  return length
end

for entry = 0, #KEYS / 3 - 1 do
  local a = entry * 9
  lengths[1] = tonumber(ARGV[a + 3])
  local limits = {tonumber(ARGV[a + 2]), tonumber(ARGV[a + 4]), tonumber(ARGV[a + 5]), tonumber(ARGV[a + 6]), tonumber(ARGV[a + 7])}
  local requests, tokens = tonumber(ARGV[a + 8]), tonumber(ARGV[a + 9])
  local amounts = {requests, requests, tokens, tokens, requests}
  local state = redis.call('GET', KEYS[entry * 3 + 2]) or ''
  local accountState = limits[5] >= 0 and redis.call('GET', KEYS[entry * 3 + 3]) or ''
  local states, sections = {state, state, state, state, accountState}, {1, 2, 3, 4, 1}
  local asked, life, last = tonumber(ARGV[a + 1]), 0, math.floor(#state / SIZE)
  local isForced = asked < 0
  asked = math.abs(asked)
  if isForced then amounts = limits end
  local windows, admitted = {}, asked
  for w = 1, 5 do
    if limits[w] >= 0 then
      local window = read(states[w], sections[w], lengths[w])
      windows[w] = window
      if w < 5 then
        life = math.max(life, lengths[w])
        last = math.max(last, w)
      end
      if amounts[w] > 0 and not isForced then
        admitted = math.max(0, math.min(admitted, math.floor((limits[w] - window.sum) / amounts[w])))
      end
    end
  end
  local refused, waits = 0, 0
  if admitted < asked then
    for w = 1, 5 do
      local amount, added = amounts[w], admitted * amounts[w]
      if windows[w] and amount > 0 and windows[w].sum + added + amount > limits[w] then
        local ms = wait(states[w], sections[w], limits[w], lengths[w], amount, added)
        if ms > waits then refused, waits = w, ms end
      end
    end
  end
  answer[#answer + 1] = tonumber(redis.call('GET', KEYS[entry * 3 + 1]) or -1)
  answer[#answer + 1] = admitted
  answer[#answer + 1] = refused
  answer[#answer + 1] = waits
  local packed = {}
  for w = 1, 5 do
    local window = windows[w]
    if window then
      local added = admitted * amounts[w]
      window.newest = math.min(window.newest + added, MOST)
      answer[#answer + 1] = math.max(0, limits[w] - window.sum - added)
      packed[w] = pack(states[w], sections[w], window)
    else
      answer[#answer + 1] = -1
      if w <= last and w < 5 then
        packed[w] = #state >= w * SIZE and string.sub(state, (w - 1) * SIZE + 1, w * SIZE) or string.rep('\\0', SIZE)
      end
    end
  end
  if admitted > 0 then
    redis.call('SET', KEYS[entry * 3 + 2], table.concat(packed, '', 1, last), 'PX', life + math.ceil(life / PER))
    if packed[5] then
      redis.call('SET', KEYS[entry * 3 + 3], packed[5], 'PX', lengths[5] + math.ceil(lengths[5] / PER))
    end
  end
end
answer[#answer + 1] = now
return answer`)
}

export const rateScript = composeRateScript()

/**
 * Corrects the token windows of KEYS[1]: adds ARGV[1], which may be negative, to the bucket in which a
 * request was counted at ARGV[2], in ms. A count stays at zero or above; a bucket that is past its window is
 * not touched.
 */
export const correctionScript = script(`${head}
local lengths = {[3] = 3600000, [4] = 86400000}
local state = redis.call('GET', KEYS[1])
if not state then return 0 end
for section = 3, 4 do
  if #state >= section * SIZE then
    local newest = struct.unpack('>d', state, (section - 1) * SIZE + 1)
    local age = newest - math.floor(ARGV[2] * PER / lengths[section])
    if age >= 0 and age < N then
      local at = section * SIZE - 7 - 8 * age
      local count = math.min(math.max(0, struct.unpack('>d', state, at) + ARGV[1]), MOST)
      state = string.sub(state, 1, at - 1) .. struct.pack('>d', count) .. string.sub(state, at + 8)
    end
  end
end
redis.call('SET', KEYS[1], state, 'KEEPTTL')
return 1`)
