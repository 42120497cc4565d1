import type { Pool } from 'undici'
import { measureCpu } from '../measure/process-tree.ts'
import type { GraphServer } from './start-servers.ts'

/** A server and connections to it. */
export type Connected = GraphServer & { pool: Pool }

/** The result of one query in one round. */
export interface QueryRound {
  perSecond: number
  durationsMs: number[]
  /** CPU milliseconds per request, of the gateway and of separate subgraphs. */
  cpuMs: number
}

/** Sends one query repeatedly with a number of clients, until `isOver`. Throws if a response has errors. */
export async function sendQueries(
  server: Connected,
  { query, clients, isOver }: { query: string; clients: number; isOver: (sent: number) => boolean },
): Promise<QueryRound> {
  const durationsMs: number[] = []
  let sent = 0
  const client = async () => {
    while (!isOver(sent)) {
      sent += 1
      const sentAt = performance.now()
      await sendQuery(server, query)
      durationsMs.push(performance.now() - sentAt)
    }
  }
  const startedAt = performance.now()
  const pids = Object.fromEntries(server.pids.map(pid => [pid, pid]))
  const { cpuSeconds } = await measureCpu(pids, () => Promise.all(Array.from({ length: clients }, client)))
  const used = Object.values(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0)
  return {
    perSecond: (durationsMs.length * 1000) / (performance.now() - startedAt),
    durationsMs,
    cpuMs: (used * 1000) / durationsMs.length,
  }
}

/** Sends one query. Resolves to the body of the response. Throws if it has errors. */
export async function sendQuery({ pool, path, headersOf, name }: Connected, query: string): Promise<string> {
  const body = JSON.stringify({ query })
  const headers = { 'content-type': 'application/json', ...headersOf(body) }
  const response = await pool.request({ path, method: 'POST', headers, body })
  const text = await response.body.text()
  if (response.statusCode === 200 && !text.includes('"errors"')) return text
  throw new Error(`${name} answered ${response.statusCode}: ${text.slice(0, 500)}`)
}
