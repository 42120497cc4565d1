import { script } from '../../platform/redis/run-script.ts'
import { bucketCount, bucketsPerWindow } from './window.ts'

/** Integers that the script answers for each request. */
export const answerLength = 7

/**
 * The one script of a request: the key's revision, and its four windows checked together, then taken together or
 * not at all. Serves many requests in one call.
 *
 * KEYS, two a request: revision, window state. ARGV, nine a request: limit (-1: none), length in ms and amount of
 * burst; limit and amount of rpm (60 s), tph and tpd.
 * Answers seven integers a request: revision (-1: unknown), refusing window (0: none), milliseconds to wait, and
 * what is left of each window (-1: unlimited); after them all, once, the time in ms.
 *
 * State is one packed string: per window the newest bucket's index and its counts, oldest first.
 */
export const rateScript = script(`
local N, PER, SIZE = ${bucketCount}, ${bucketsPerWindow}, ${4 * (bucketCount + 1)}
local FORMAT = '>I4' .. string.rep('i4', N)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lengths = {0, 60000, 3600000, 86400000}
local answer = {}

local function read(state, section, length)
  local index = math.floor(now * PER / length)
  local kept = {}
  if #state >= section * SIZE then kept = {struct.unpack(FORMAT, state, (section - 1) * SIZE + 1)} end
  local shift = kept[1] and (index - kept[1]) % 4294967296 or N
  local counts, sum = {}, 0
  for i = 1, N do
    counts[i] = shift + i <= N and kept[shift + i + 1] or 0
    sum = sum + counts[i]
  end
  return {index = index, counts = counts, sum = sum}
end

local function wait(window, limit, length, amount)
  local left = window.sum
  for i = 1, N do
    left = left - window.counts[i]
    if left + amount <= limit then
      return math.ceil((window.index + i) * length / PER - now)
    end
  end
  return length
end

for r = 0, #KEYS / 2 - 1 do
  local a = r * 9
  lengths[1] = tonumber(ARGV[a + 2])
  local limits = {tonumber(ARGV[a + 1]), tonumber(ARGV[a + 4]), tonumber(ARGV[a + 6]), tonumber(ARGV[a + 8])}
  local amounts = {tonumber(ARGV[a + 3]), tonumber(ARGV[a + 5]), tonumber(ARGV[a + 7]), tonumber(ARGV[a + 9])}
  local state = redis.call('GET', KEYS[r * 2 + 2]) or ''
  local windows, refused, waits, life = {}, 0, 0, 0
  for w = 1, 4 do
    if limits[w] >= 0 then
      local window = read(state, w, lengths[w])
      windows[w] = window
      life = math.max(life, lengths[w])
      if window.sum + amounts[w] > limits[w] then
        local ms = wait(window, limits[w], lengths[w], amounts[w])
        if ms > waits then refused, waits = w, ms end
      end
    end
  end
  answer[#answer + 1] = tonumber(redis.call('GET', KEYS[r * 2 + 1]) or -1)
  answer[#answer + 1] = refused
  answer[#answer + 1] = waits
  local sections = {}
  for w = 1, 4 do
    local window = windows[w]
    if window then
      if refused == 0 then
        window.counts[N] = window.counts[N] + amounts[w]
        window.sum = window.sum + amounts[w]
      end
      answer[#answer + 1] = math.max(0, limits[w] - window.sum)
      sections[w] = struct.pack(FORMAT, window.index % 4294967296, unpack(window.counts))
    else
      answer[#answer + 1] = -1
      sections[w] = #state >= w * SIZE and string.sub(state, (w - 1) * SIZE + 1, w * SIZE) or string.rep('\\0', SIZE)
    end
  end
  if refused == 0 then redis.call('SET', KEYS[r * 2 + 2], table.concat(sections), 'PX', life + math.ceil(life / PER)) end
end
answer[#answer + 1] = now
return answer`)

/**
 * Corrects the token windows of KEYS[1] once a request's tokens are known: adds ARGV[1] (negative gives back, at most
 * what is there) to the bucket that the request was counted in at ARGV[2], in ms. What has left a window is left alone.
 */
export const correctionScript = script(`
local N, PER, SIZE = ${bucketCount}, ${bucketsPerWindow}, ${4 * (bucketCount + 1)}
local lengths = {[3] = 3600000, [4] = 86400000}
local state = redis.call('GET', KEYS[1])
if not state or #state < 4 * SIZE then return 0 end
for section = 3, 4 do
  local newest = struct.unpack('>I4', state, (section - 1) * SIZE + 1)
  local age = (newest - math.floor(ARGV[2] * PER / lengths[section])) % 4294967296
  if age < N then
    local at = section * SIZE - 3 - 4 * age
    local count = math.max(0, struct.unpack('>i4', state, at) + ARGV[1])
    state = string.sub(state, 1, at - 1) .. struct.pack('>i4', count) .. string.sub(state, at + 4)
  end
end
redis.call('SET', KEYS[1], state, 'KEEPTTL')
return 1`)
