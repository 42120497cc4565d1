import { Pool } from 'undici'
import { consoleQueries } from '../graph/console-queries.ts'
import { type Connected, type QueryRound, sendQueries, sendQuery } from '../graph/send-query.ts'
import { startServers } from '../graph/start-servers.ts'
import { latencies, medianOf } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import type { Scenario } from './scenario.ts'

const clients = 8
/** Number of warm-up requests for each query and server, after which the code is compiled. */
const warmUpRequests = 400

/** Minimum requests per second of separate subgraphs, as a multiple of @apollo/gateway's over the same subgraphs. */
const minOfReference = 1.2
/** Maximum CPU of the account with its balance and ten keys, in one process, in milliseconds. */
const maxOverviewCpuMs = 1.5

/** The cost of federation: the same queries on each server. All servers must return the same. */
export const graph: Scenario = {
  name: 'graph',
  description: `the console's five queries; ${clients} clients`,
  async run(system, { rounds, lengths }) {
    await using stack = new AsyncDisposableStack()
    const servers = (await startServers(system, stack)).map(server => {
      const pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: clients })
      stack.defer(() => pool.close())
      return { ...server, pool }
    })
    const faults: string[] = []
    for (const [name, query] of consoleQueries) {
      faults.push(...(await compareAnswers(servers, { name, query })))
      for (const server of servers)
        await sendQueries(server, { query, clients, isOver: sent => sent >= warmUpRequests })
    }
    const measured = [...consoleQueries].flatMap(([name, query]) =>
      servers.map(server => ({ name, query, server, done: [] as QueryRound[] })),
    )
    for (let round = 0; round < rounds; round++)
      for (const { query, server, done } of measured) {
        const isOver = (_: number, elapsedMs: number) => elapsedMs >= lengths.seconds * 1000
        done.push(await sendQueries(server, { query, clients, isOver }))
      }
    const perSecond = (done: QueryRound[]) => medianOf(done, round => round.perSecond)
    /** Returns the time of one of each query, at the throughput of many, in seconds. */
    const timeOf = (name: string) =>
      measured
        .filter(({ server }) => server.name === name)
        .reduce((sum, { done }) => sum + 1 / perSecond(done), 0)
    const ratio = timeOf('@apollo/gateway') / timeOf('spread')
    return {
      rows: [
        ...measured.map(({ name, server, done }) => {
          const figures = {
            'requests/s': perSecond(done),
            ...latencies(done.flatMap(round => round.durationsMs)),
            'CPU ms': medianOf(done, round => round.cpuMs),
          }
          const isJudged = name === 'overview' && server.name === 'in-process'
          return row(
            `${name}, ${server.name}`,
            figures,
            isJudged ? { 'CPU ms': { max: maxOverviewCpuMs } } : {},
          )
        }),
        row(
          'spread, relative to @apollo/gateway',
          { 'requests/s': ratio },
          { 'requests/s': { min: minOfReference } },
        ),
      ],
      faults,
    }
  },
}

/** Reports the servers whose response differs from the first server's. */
async function compareAnswers(
  servers: readonly Connected[],
  { name, query }: { name: string; query: string },
): Promise<string[]> {
  const answers = await Promise.all(servers.map(server => sendQuery(server, query)))
  const data = answers.map(answer => JSON.stringify(JSON.parse(answer).data))
  return servers.flatMap((server, at) =>
    data[at] === data[0]
      ? []
      : [`${name} has another answer from ${server.name}: ${data[at]?.slice(0, 200)}`],
  )
}
