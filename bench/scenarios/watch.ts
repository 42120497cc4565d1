import { setTimeout as sleep } from 'node:timers/promises'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { aNewTask } from '../../test/tasks/a-task.ts'
import { protocols } from '../../test/tasks/subscribers.ts'
import { countSockets, measureCpu } from '../measure/process-tree.ts'
import { medianOf, percentile } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'
import type { NodeProcess } from '../system/start-node.ts'
import { startControl, startSubgraphs } from '../system/start-processes.ts'
import type { System } from '../system/start-system.ts'
import type { Scenario } from './scenario.ts'

const watchers = 1_000
/** Maximum number of operations of a WebSocket connection. */
const perConnection = 100
const maxAllMs = 1_000

/** The subgraphs that the subscription uses. */
const used = ['tasks', 'models', 'keys']
const subscription = `subscription ($id: ID!) {
  taskUpdated(id: $id) { id status state progress modelName model { id name } apiKey { id name } }
}`

const settings = {
  ALLOWANCES: 'management_calls=100000000/100000000,subscriptions=1000000/1000000',
  CALLS_PER_ADDRESS: '100000000',
}

/** The time until all subscribers of one task are notified of its end, over WebSocket through the gateway. */
export const watch: Scenario = {
  name: 'watch',
  description: `${watchers.toLocaleString('en-US')} subscribers of one task; subgraphs in-process and apart`,
  async run(system, { rounds }) {
    const surroundings = { ...system, environment: { ...system.environment, ...settings } }
    const rows: Row[] = []
    for (const apart of [[], used]) {
      await using stack = new AsyncDisposableStack()
      const { environment } = await startSubgraphs(surroundings, apart, stack)
      const gateway = stack.use(await startControl(surroundings, apart.length > 0 ? { environment } : {}))
      const figures = await measureWatchers(system, gateway, { rounds, stack })
      const label = apart.length > 0 ? 'apart' : 'in-process'
      rows.push(row(label, figures, { 'all notified ms': { max: maxAllMs } }))
    }
    return { rows, faults: [] }
  },
}

async function measureWatchers(
  { context }: System,
  gateway: NodeProcess,
  { rounds, stack }: { rounds: number; stack: AsyncDisposableStack },
) {
  const key = await anApiKey(context, await anAccount(context))
  const ledger = await openLedger(context, { kind: 'bench' })
  stack.defer(() => closeLedger(ledger))
  const clients = Array.from({ length: Math.ceil(watchers / perConnection) }, () =>
    protocols['graphql-ws'](`http://127.0.0.1:${gateway.port}`, key.text),
  )
  for (const client of clients) stack.defer(() => client.dispose())

  const round = async () => {
    const task = await submitTask({ context, ledger: directLedger(ledger) }, aNewTask(context, key))
    const streams = Array.from({ length: watchers }, (_, at) =>
      clients[at % clients.length]!.subscribe(subscription, { id: task.id }),
    )
    await Promise.all(streams.map(stream => stream.next()))
    const sockets = countSockets(gateway.pid) - clients.length
    const { result: durationsMs, cpuSeconds } = await measureCpu({ gateway: gateway.pid }, async () => {
      const endedAt = performance.now()
      const notified = Promise.all(
        streams.map(async stream => {
          const { value } = await stream.next()
          if (value?.data?.taskUpdated?.state === 'FAILED') return performance.now() - endedAt
          throw new Error(`a subscriber received ${JSON.stringify(value)}`)
        }),
      )
      const end = { status: 'failed', code: 'generation_failed', message: 'x' } as const
      await finishTask(context, task, { end })
      const delaysMs = await notified
      await sleep(200) // what the gateway does after the notification counts too
      return delaysMs
    })
    return { durationsMs, sockets, cpuMs: cpuSeconds.gateway! * 1000 }
  }
  await round() // the gateway is cold
  const measured: Awaited<ReturnType<typeof round>>[] = []
  while (measured.length < rounds) measured.push(await round())
  return {
    'half notified ms': medianOf(measured, ({ durationsMs }) => percentile(durationsMs, 0.5)),
    'all notified ms': medianOf(measured, ({ durationsMs }) => Math.max(...durationsMs)),
    'CPU ms': medianOf(measured, ({ cpuMs }) => cpuMs),
    sockets: medianOf(measured, ({ sockets }) => sockets),
  }
}
