import type { Context } from '../context.ts'
import { heartbeatMs } from '../ledger/ledger.ts'

/** The row in `processes` of an edge process without holds. It shows that the process lives, and with it its claims. */
export interface ProcessRow {
  /** The row's ID. It changes if the row was deleted because heartbeats were missing. */
  readonly id: string
  close(): Promise<void>
}

/** Inserts the row and sends heartbeats. Throws if Postgres does not respond. */
export async function openProcessRow(
  { sql, ids, log }: Pick<Context, 'sql' | 'ids' | 'log'>,
  { kind }: { kind: string },
): Promise<ProcessRow> {
  let id = ids.uuid()
  const insert = () => sql`insert into processes (id, kind) values (${id}, ${kind}) on conflict do nothing`
  const beat = async () => {
    const { count } = await sql`update processes set heartbeat_at = clock_timestamp() where id = ${id}`
    if (count > 0) return
    id = ids.uuid()
    await insert()
  }
  await insert()
  let beating: Promise<void> | undefined
  const timer = setInterval(() => {
    beating ??= beat()
      .catch(error => log.warn({ err: error }, 'heartbeat failed'))
      .finally(() => {
        beating = undefined
      })
  }, heartbeatMs)
  return {
    get id() {
      return id
    },
    async close() {
      clearInterval(timer)
      await beating
      await sql`delete from processes where id = ${id}`
    },
  }
}
