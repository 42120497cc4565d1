import type { Context } from '../context.ts'

/** The revision of the applied catalogue: another number than before means, load it again. */
export async function readRevision({ sql }: Pick<Context, 'sql'>): Promise<bigint> {
  const [state] = await sql<{ revision: bigint }[]>`select revision from catalogue_state`
  return state?.revision ?? 0n
}
