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
  options: { query: string; clients: number; isOver: (sent: number, elapsedMs: number) => boolean },
): Promise<QueryRound> {
  const { query, clients, isOver } = options
  const durationsMs: number[] = []
  let sent = 0
  const pids = Object.fromEntries(server.pids.map(pid => [pid, pid]))
  const { result: seconds, cpuSeconds } = await measureCpu(pids, async () => {
    const startedAt = performance.now()
    const sendUntilOver = async () => {
      while (!isOver(sent, performance.now() - startedAt)) {
        sent += 1
        const sentAt = performance.now()
        await sendQuery(server, query)
        durationsMs.push(performance.now() - sentAt)
      }
    }
    await Promise.all(Array.from({ length: clients }, sendUntilOver))
    return (performance.now() - startedAt) / 1000
  })
  const used = Object.values(cpuSeconds).reduce((sum, cpu) => sum + cpu, 0)
  return { perSecond: durationsMs.length / seconds, durationsMs, cpuMs: (used * 1000) / durationsMs.length }
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
