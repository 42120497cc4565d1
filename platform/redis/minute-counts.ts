import type { Clock } from '../clock.ts'
import { type RedisClient, runPipeline } from './open-redis.ts'

export const minuteMs = 60_000

/** Returns the number of the current minute since 1970. */
export function minuteOf(clock: Clock): number {
  return Math.floor(clock.now() / minuteMs)
}

/** Counts by field. */
export type Counts = ReadonlyMap<string, number>

/**
 * Adds counts to a minute in Redis, and returns the counts of all processes in this minute and in the minutes before
 * it: `minutes` entries, latest first. The counts of a minute are one hash, whose name begins with `name`. It expires
 * after its minute is no longer read. Throws if Redis does not respond.
 */
export async function exchangeMinuteCounts(
  redis: RedisClient,
  { name, minute, minutes, sent }: { name: string; minute: number; minutes: number; sent: Counts },
): Promise<Counts[]> {
  const nameAt = (at: number) => `${name}:${at}`
  const pipeline = redis.pipeline()
  for (const [field, count] of sent) if (count !== 0) pipeline.hincrby(nameAt(minute), field, count)
  if (sent.size > 0) pipeline.expire(nameAt(minute), (minutes + 1) * 60)
  for (let age = 0; age < minutes; age++) pipeline.hgetall(nameAt(minute - age))
  const answers = await runPipeline(pipeline)
  const failed = answers.find(([error]) => error !== null)
  if (failed || answers.length === 0) throw failed?.[0] ?? new Error('no answer')
  return answers.slice(-minutes).map(([, counts]) => readCounts(counts))
}

function readCounts(counts: unknown): Counts {
  return new Map(Object.entries(counts ?? {}).map(([field, count]) => [field, Number(count)]))
}
