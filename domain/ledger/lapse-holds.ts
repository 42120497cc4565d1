import type { Context } from '../context.ts'
import { lapseAfterMs } from './ledger.ts'

/** Gives back the holds of processes whose heartbeat stopped. Resolves to how many lapsed. */
export async function lapseHolds(context: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await context.sql<{ lapsed: number }[]>`
    select lapse_holds(${`${lapseAfterMs} ms`}::interval) as lapsed`
  return row?.lapsed ?? 0
}
