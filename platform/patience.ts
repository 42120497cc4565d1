import { type Clock, withTimeout } from './clock.ts'

/** How much longer a request waits for Postgres, in milliseconds. All waits of a request share it. */
export interface Patience {
  leftMs: number
}

/** Waits for an answer with the patience that is left, and subtracts the time. Rejects when none is left. */
export async function waitWithPatience<Value>(
  patience: Patience,
  { monotonic }: Pick<Clock, 'monotonic'>,
  answer: Promise<Value>,
): Promise<Value> {
  const since = monotonic()
  try {
    return await withTimeout(patience.leftMs, answer)
  } finally {
    patience.leftMs = Math.max(0, patience.leftMs - (monotonic() - since))
  }
}
