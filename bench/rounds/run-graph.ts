import { Pool } from 'undici'
import { type Asked, askOnce, askQuery } from '../graph/ask-query.ts'
import { consoleQueries } from '../graph/console-queries.ts'
import { startWays, type Way, type WayName } from '../graph/start-ways.ts'
import { median, percentile } from '../measure/percentile.ts'
import type { Graph } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'
import type { Verdict } from './judge.ts'
import type { Lengths } from './plan-round.ts'

/** The cost of the console's queries on each server. */
export interface GraphReport {
  name: string
  says: string
  rows: GraphRow[]
  /** Requests a second of the spread graph in parts of the reference's: as many of each query, in pairs of rounds. */
  ofReference: number
  verdict: Verdict | undefined
  faults: string[]
}

/** One query on one way. */
export interface GraphRow {
  query: string
  way: WayName
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Of the gateway and of the subgraphs by themselves, a request. */
  cpuMs: number
}

/** Number of warm-up requests for each query and server, after which the code is compiled. */
const warmTimes = 400

/**
 * Asks each query on each way by turns, round by round, so that all meet the same noise. Every way must answer the same.
 */
export async function runGraph(
  system: System,
  { scenario, rounds, lengths }: { scenario: Graph; rounds: number; lengths: Lengths },
): Promise<GraphReport> {
  const { name, says, clients } = scenario
  await using stack = new AsyncDisposableStack()
  const ways = (await startWays(system, stack)).map(way => {
    const pool = new Pool(`http://127.0.0.1:${way.port}`, { connections: clients })
    stack.defer(() => pool.close())
    return { ...way, pool }
  })
  const faults: string[] = []
  for (const [query, text] of consoleQueries) {
    faults.push(...(await compareAnswers(ways, { query, text })))
    for (const way of ways) await askQuery(way, { query: text, clients, times: warmTimes })
  }
  const rounded = new Map<string, Asked[]>()
  for (let round = 0; round < rounds; round++)
    for (const [query, text] of consoleQueries)
      for (const way of ways) {
        const asked = await askQuery(way, { query: text, clients, seconds: lengths.seconds })
        const earlier = rounded.get(key(query, way.name)) ?? []
        rounded.set(key(query, way.name), [...earlier, asked])
      }
  const rows = [...consoleQueries.keys()].flatMap(query =>
    ways.map(way => rowOf({ query, way: way.name }, rounded.get(key(query, way.name)) ?? [])),
  )
  const ofReference = timeOf(rows, '@apollo/gateway') / timeOf(rows, 'spread')
  return { name, says, rows, ofReference, verdict: judgeGraph(scenario, { rows, ofReference }), faults }
}

function key(query: string, way: WayName): string {
  return `${query} ${way}`
}

/** Reports where the responses of a server differ from the first server's. */
async function compareAnswers(
  ways: readonly (Way & { pool: Pool })[],
  { query, text }: { query: string; text: string },
): Promise<string[]> {
  const answers = await Promise.all(
    ways.map(async way => ({
      way: way.name,
      data: JSON.stringify(JSON.parse(await askOnce(way, text)).data),
    })),
  )
  return answers
    .filter(({ data }) => data !== answers[0]?.data)
    .map(({ way, data }) => `${query} has another answer from ${way}: ${data.slice(0, 200)}`)
}

function rowOf(of: Pick<GraphRow, 'query' | 'way'>, rounds: readonly Asked[]): GraphRow {
  const durationsMs = rounds.flatMap(round => round.durationsMs)
  return {
    ...of,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50Ms: percentile(durationsMs, 0.5),
    p99Ms: percentile(durationsMs, 0.99),
    cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)),
  }
}

/** Seconds that one of each query takes, at the pace of many. */
function timeOf(rows: readonly GraphRow[], way: WayName): number {
  return rows.filter(row => row.way === way).reduce((sum, { perSecond }) => sum + 1 / perSecond, 0)
}

function judgeGraph(
  { atLeastOfReference, atMostCpuMs }: Graph,
  { rows, ofReference }: Pick<GraphReport, 'rows' | 'ofReference'>,
): Verdict {
  const overview = rows.find(({ query, way }) => query === 'overview' && way === 'in-process')
  const cpuMs = overview?.cpuMs ?? Number.NaN
  const [isFast, isCheap] = [ofReference >= atLeastOfReference, cpuMs <= atMostCpuMs]
  return {
    isMet: isFast && isCheap,
    target: [
      `spread ≥ ${atLeastOfReference} @apollo/gateway: ${isFast ? 'met' : 'missed'} (${ofReference.toFixed(2)})`,
      `overview in-process ≤ ${atMostCpuMs} ms of CPU: ${isCheap ? 'met' : 'missed'} (${cpuMs.toFixed(2)})`,
    ].join('; '),
  }
}
