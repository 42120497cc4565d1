import { Problem } from '../../schema/errors.ts'
import type { TryCounter } from './try-counter.ts'

/** So many tries under a name, in the window of tries. */
export interface TryLimit {
  name: string
  most: number
}

/** Counts one more try. Throws `too_many_tries` when the limit is used up; the try counts all the same. */
export async function countTry(tries: TryCounter, { name, most }: TryLimit): Promise<void> {
  const counted = await tries.count(name)
  if (counted.tries > most)
    throw new Problem('too_many_tries', { retryAfterSeconds: Math.max(1, counted.secondsLeft) })
}
