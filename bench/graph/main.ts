/** `npm run bench:graph`: what the console's usual queries cost, with the subgraphs in one process and by themselves. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { parseArgs } from '../../platform/process/parse-args.ts'
import { type Column, printTable } from '../report/print-table.ts'
import { startStores } from '../system/start-stores.ts'
import { askQuery, type QueryFigures } from './ask-queries.ts'
import { consoleQueries } from './console-queries.ts'
import { openConsole } from './open-console.ts'
import { startGraph } from './start-graph.ts'

const help = `
Measures the five queries that the console asks most, over HTTP: once with every subgraph in the gateway's process, once
with each in a process of its own.

  npm run bench:graph
  npm run bench:graph -- --seconds 10 --clients 8

Of each: requests a second, the median and the 99th percentile in milliseconds, and milliseconds of CPU a request, of
the gateway and of the subgraphs together.
`

interface Row extends QueryFigures {
  name: string
  way: string
}

const columns: Column<Row>[] = [
  { heading: 'query', cell: ({ name }) => name },
  { heading: 'subgraphs', cell: ({ way }) => way },
  { heading: 'requests/s', cell: row => row.requestsPerSecond.toFixed(0), isFigure: true },
  { heading: 'p50 ms', cell: ({ p50Ms }) => p50Ms.toFixed(1), isFigure: true },
  { heading: 'p99 ms', cell: ({ p99Ms }) => p99Ms.toFixed(1), isFigure: true },
  { heading: 'CPU ms', cell: ({ cpuMs }) => cpuMs.toFixed(2), isFigure: true },
]

try {
  const { wantsHelp, options } = parseArgs(
    { options: { seconds: { type: 'string' }, clients: { type: 'string' } } },
    process.argv.slice(2),
  )
  if (wantsHelp) process.stdout.write(help)
  else await measure({ seconds: Number(options.seconds ?? 10), clients: Number(options.clients ?? 8) })
} catch (error) {
  process.stderr.write(`bench:graph: ${explainFault(error)}\n`)
  process.exitCode = 1
}

async function measure(load: { seconds: number; clients: number }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-graph-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const { environment, context } = await startStores(folder, stack)
  const rows: Row[] = []
  for (const spread of [false, true]) {
    const graph = await startGraph({ environment, folder, spread }, stack)
    const token = await openConsole(context, { url: `http://127.0.0.1:${graph.gateway.port}` })
    for (const [name, query] of consoleQueries) {
      const figures = await askQuery(graph, { query, token, ...load })
      rows.push({ name, way: spread ? 'spread' : 'in-process', ...figures })
    }
    await Promise.all([graph.gateway, ...graph.subgraphs].map(process => process.stop(2_000)))
  }
  process.stdout.write(`${printTable(columns, rows)}\n`)
}
