import { type RedisClient, runScript, script } from '../redis/open-redis.ts'
import { type Counted, openWindows, type WindowLimit, type Windows } from './windows.ts'

/** Counts by name in windows of one length, over all processes. */
export interface SharedWindows {
  /**
   * Counts in several windows by one script. Each amount is counted unless its window would exceed its limit. While
   * Redis is unavailable, this process counts by itself, from what Redis last returned. On a cluster all names must have
   * one hash tag.
   */
  count(limits: readonly NamedLimit[]): Promise<Counted[]>
  /** This process's own windows. */
  readonly here: Windows
}

export interface NamedLimit extends WindowLimit {
  name: string
}

/** Opens windows of `windowMs`. Names in Redis begin with `prefix`. */
export function openSharedWindows(options: {
  redis: RedisClient
  prefix: string
  windowMs: number
}): SharedWindows {
  const { redis, prefix, windowMs } = options
  const here = openWindows({ windowMs })
  return {
    here,
    async count(limits) {
      const names = limits.map(({ name }) => prefix + name)
      const args = limits.flatMap(({ amount = 1, max }) => [amount, max])
      const answer = await runScript(redis, countInRedis, names, [windowMs, ...args]).then(
        counted => readCounted(counted, limits.length),
        () => undefined,
      )
      if (!answer) return limits.map(limit => here.count(limit.name, limit))
      for (const [at, { name }] of limits.entries()) here.set(name, answer[at]!)
      return answer
    },
  }
}

/** KEYS: the windows. ARGV: their length in ms, then an amount and a limit each. Returns three integers per window. */
const countInRedis = script(`
local counted = {}
for index, name in ipairs(KEYS) do
  local amount, max = tonumber(ARGV[index * 2]), tonumber(ARGV[index * 2 + 1])
  local count = tonumber(redis.call('GET', name) or 0)
  local isCounted = count + amount <= max
  if isCounted then
    redis.call('INCRBY', name, amount)
    if count == 0 then redis.call('PEXPIRE', name, ARGV[1]) end
    count = count + amount
  end
  local left = redis.call('PTTL', name)
  if left < 0 then left = tonumber(ARGV[1]) end
  for _, figure in ipairs({isCounted and 1 or 0, count, left}) do counted[#counted + 1] = figure end
end
return counted`)

function readCounted(answer: unknown, length: number): Counted[] | undefined {
  if (!Array.isArray(answer) || answer.length !== 3 * length) return undefined
  return Array.from({ length }, (_, at) => {
    const [isCounted, count, leftMs] = answer.slice(3 * at).map(Number)
    return { isCounted: isCounted === 1, count: count!, leftMs: leftMs! }
  })
}
