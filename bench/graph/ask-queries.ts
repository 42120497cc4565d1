import { Pool } from 'undici'
import { readCpuSeconds } from '../measure/measure-cpu.ts'
import { percentile } from '../measure/percentile.ts'
import type { GraphProcesses } from './start-graph.ts'

/** What one query came to. */
export interface QueryFigures {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU of the gateway and of the subgraphs by themselves, in milliseconds a request. */
  cpuMs: number
}

/** Asks one query over and over, by so many clients at a time. Throws where an answer has errors. */
export async function askQuery(
  { gateway, subgraphs }: GraphProcesses,
  { query, token, clients, seconds }: { query: string; token: string; clients: number; seconds: number },
): Promise<QueryFigures> {
  const pool = new Pool(`http://127.0.0.1:${gateway.port}`, { connections: clients })
  const body = JSON.stringify({ query })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const ask = async () => {
    const answer = await pool.request({ path: '/graphql', method: 'POST', headers, body })
    const text = await answer.body.text()
    if (answer.statusCode !== 200 || text.includes('"errors"')) throw new Error(text.slice(0, 500))
  }
  const askFor = async (lengthMs: number) => {
    const durationsMs: number[] = []
    const end = performance.now() + lengthMs
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (performance.now() < end) {
          const startedAt = performance.now()
          await ask()
          durationsMs.push(performance.now() - startedAt)
        }
      }),
    )
    return durationsMs
  }
  const pids = Object.fromEntries([gateway, ...subgraphs].map(({ pid }) => [String(pid), pid]))
  const cpuSeconds = () => Object.values(readCpuSeconds(pids)).reduce((sum, used) => sum + used, 0)
  try {
    await askFor(Math.min(2_000, seconds * 1_000)) // warm
    const [cpuBefore, startedAt] = [cpuSeconds(), performance.now()]
    const durationsMs = await askFor(seconds * 1_000)
    const tookSeconds = (performance.now() - startedAt) / 1_000
    return {
      requestsPerSecond: durationsMs.length / tookSeconds,
      p50Ms: percentile(durationsMs, 0.5),
      p99Ms: percentile(durationsMs, 0.99),
      cpuMs: ((cpuSeconds() - cpuBefore) * 1_000) / durationsMs.length,
    }
  } finally {
    await pool.close()
  }
}
