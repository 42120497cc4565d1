import { type Clock, NoAnswerInTime, withTimeout } from './clock.ts'

/** The time for which a request still waits for Postgres, in milliseconds. All waits of a request share it. */
export interface Patience {
  leftMs: number
}

/**
 * Waits for an answer for the rest of the patience, and subtracts the time. Throws `NoAnswerInTime` if no patience is
 * left.
 */
export async function waitWithPatience<Value>(
  patience: Patience,
  { monotonic }: Pick<Clock, 'monotonic'>,
  answer: Promise<Value>,
): Promise<Value> {
  const since = monotonic()
  try {
    return await withTimeout(patience.leftMs, answer)
  } catch (error) {
    // A timer may fire a fraction of a millisecond early.
    if (error instanceof NoAnswerInTime) patience.leftMs = 0
    throw error
  } finally {
    patience.leftMs = Math.max(0, patience.leftMs - (monotonic() - since))
  }
}
