/** `node bench/watch/main.ts`: many who watch one task, with the subgraphs in one process and by themselves. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { parseArgs } from '../../platform/process/parse-args.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { aNewTask } from '../../test/tasks/a-task.ts'
import { protocols } from '../../test/tasks/subscribers.ts'
import { countSockets } from '../measure/count-sockets.ts'
import { readCpuSeconds } from '../measure/measure-cpu.ts'
import { median } from '../measure/percentile.ts'
import { type Column, printTable } from '../report/print-table.ts'
import type { NodeProcess } from '../system/start-node.ts'
import { type Stores, startStores } from '../system/start-stores.ts'
import { startGateway } from './start-gateway.ts'

const help = `
Measures how soon many subscribers of one task are told of its end, over WebSocket through the gateway, with fields of
three subgraphs: once with every subgraph in the gateway's process, once with these in processes of their own.

  node bench/watch/main.ts
  node bench/watch/main.ts --watchers 1000 --rounds 5

Milliseconds from before the task is ended until half of them, and all of them, have been told: the median round. CPU
milliseconds of the gateway for that. Sockets of the gateway beyond those of its clients, while all watch.
`

/** The subgraphs that `watched` asks. */
const asked = ['tasks', 'models', 'keys']

/** Maximum number of operations of a WebSocket connection. */
const perConnection = 100

interface Row {
  way: string
  watchers: number
  halfMs: number
  lastMs: number
  cpuMs: number
  sockets: number
}

const columns: Column<Row>[] = [
  { heading: 'subgraphs', cell: ({ way }) => way },
  { heading: 'watchers', cell: ({ watchers }) => `${watchers}`, isFigure: true },
  { heading: 'half told ms', cell: row => row.halfMs.toFixed(0), isFigure: true },
  { heading: 'all told ms', cell: row => row.lastMs.toFixed(0), isFigure: true },
  { heading: 'CPU ms', cell: ({ cpuMs }) => cpuMs.toFixed(0), isFigure: true },
  { heading: 'sockets', cell: ({ sockets }) => `${sockets}`, isFigure: true },
]

const watched = `subscription ($id: ID!) {
  taskUpdated(id: $id) { id status state progress modelName model { id name } apiKey { id name } }
}`

try {
  const { wantsHelp, options } = parseArgs(
    { options: { watchers: { type: 'string' }, rounds: { type: 'string' } } },
    process.argv.slice(2),
  )
  if (wantsHelp) process.stdout.write(help)
  else await measure({ watchers: Number(options.watchers ?? 1_000), rounds: Number(options.rounds ?? 5) })
} catch (error) {
  process.stderr.write(`bench/watch: ${explainFault(error)}\n`)
  process.exitCode = 1
}

async function measure(load: { watchers: number; rounds: number }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-watch-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const stores = await startStores(folder, stack)
  const rows: Row[] = []
  for (const apart of [[], asked]) {
    const gateway = await startGateway({ environment: stores.environment, folder, apart }, stack)
    rows.push({
      way: apart.length > 0 ? 'apart' : 'in-process',
      ...(await watchTasks(stores, gateway, load)),
    })
    await gateway.stop(2_000)
  }
  process.stdout.write(`${printTable(columns, rows)}\n`)
}

async function watchTasks(
  { context }: Stores,
  gateway: NodeProcess,
  { watchers, rounds }: { watchers: number; rounds: number },
): Promise<Omit<Row, 'way'>> {
  const { accountId } = await anAccount(context)
  const key = await anApiKey(context, { accountId })
  await using stack = new AsyncDisposableStack()
  const ledger = await openLedger(context, { kind: 'bench' })
  stack.defer(() => closeLedger(ledger))
  const url = `http://127.0.0.1:${gateway.port}`
  const clients = Array.from({ length: Math.ceil(watchers / perConnection) }, () =>
    protocols['graphql-ws'](url, key.text),
  )
  for (const client of clients) stack.defer(() => client.dispose())
  const found: Omit<Row, 'way' | 'watchers'>[] = []
  for (let round = 0; round <= rounds; round++) {
    const task = await submitTask({ context, ledger }, aNewTask(context, key))
    const streams = Array.from({ length: watchers }, (_, at) =>
      clients[at % clients.length]!.subscribe(watched, { id: task.id }),
    )
    await Promise.all(streams.map(stream => stream.next()))
    const sockets = countSockets(gateway.pid) - clients.length
    const [before = 0] = Object.values(readCpuSeconds({ gateway: gateway.pid }))
    const endedAt = performance.now()
    const told = Promise.all(
      streams.map(async stream => {
        const { value } = await stream.next()
        if (value?.data?.taskUpdated?.state !== 'FAILED') throw new Error(`told ${JSON.stringify(value)}`)
        return performance.now() - endedAt
      }),
    )
    await finishTask(context, task, { end: { status: 'failed', code: 'generation_failed', message: 'x' } })
    const times = await told
    await sleep(200)
    const [after = 0] = Object.values(readCpuSeconds({ gateway: gateway.pid }))
    // The first round finds the gateway cold.
    if (round === 0) continue
    const cpuMs = (after - before) * 1000
    found.push({ halfMs: median(times), lastMs: Math.max(...times), cpuMs, sockets })
  }
  const of = (figure: (one: (typeof found)[number]) => number) => median(found.map(figure))
  return {
    watchers,
    halfMs: of(one => one.halfMs),
    lastMs: of(one => one.lastMs),
    cpuMs: of(one => one.cpuMs),
    sockets: of(one => one.sockets),
  }
}
