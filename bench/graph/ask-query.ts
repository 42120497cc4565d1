import type { Pool } from 'undici'
import { readCpuSeconds } from '../measure/measure-cpu.ts'
import type { Way } from './start-ways.ts'

/** What one query came to in one round. */
export interface Asked {
  perSecond: number
  durationsMs: number[]
  /** CPU of the way's processes, in milliseconds a request: the gateway's, and the subgraphs' by themselves. */
  cpuMs: number
}

/**
 * Sends one query to one server repeatedly, with a number of clients at a time, for a duration or a number of times. Throws
 * if a response has errors.
 */
export async function askQuery(
  way: Way & { pool: Pool },
  {
    query,
    clients,
    ...length
  }: { query: string; clients: number } & ({ seconds: number } | { times: number }),
): Promise<Asked> {
  const durationsMs: number[] = []
  const pids = Object.fromEntries(way.pids.map(pid => [String(pid), pid]))
  const cpuSeconds = () => Object.values(readCpuSeconds(pids)).reduce((sum, used) => sum + used, 0)
  const [cpuBefore, startedAt] = [cpuSeconds(), performance.now()]
  let begun = 0
  const goesOn = () =>
    'times' in length ? begun < length.times : performance.now() - startedAt < length.seconds * 1_000
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (goesOn()) {
        begun += 1
        const askedAt = performance.now()
        await askOnce(way, query)
        durationsMs.push(performance.now() - askedAt)
      }
    }),
  )
  const tookSeconds = (performance.now() - startedAt) / 1_000
  return {
    perSecond: durationsMs.length / tookSeconds,
    durationsMs,
    cpuMs: ((cpuSeconds() - cpuBefore) * 1_000) / durationsMs.length,
  }
}

/** Asks once: resolves to the data, as text. Throws where the answer has errors. */
export async function askOnce(way: Way & { pool: Pool }, query: string): Promise<string> {
  const body = JSON.stringify({ query })
  const headers = { 'content-type': 'application/json', ...way.headersOf(body) }
  const answer = await way.pool.request({ path: way.path, method: 'POST', headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200 || text.includes('"errors"'))
    throw new Error(`${way.name} answered ${answer.statusCode}: ${text.slice(0, 500)}`)
  return text
}
