import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { openTaskWatch } from '../../domain/tasks/watch-tasks.ts'
import { readMemory } from '../measure/process-tree.ts'
import { median } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { submitVideo } from '../rounds/submit-video.ts'
import { withBooksChecked } from '../system/check-books.ts'
import { type CallbackReceiver, receiveCallbacks } from '../system/receive-callbacks.ts'
import type { System } from '../system/start-system.ts'
import { stampBytes } from '../upstream/media.ts'
import type { Scenario } from './scenario.ts'

/** Videos with a subscriber and a callback each. */
interface Delivery {
  count: number
  latencyMs: number
  bytes: number
}

interface Targets {
  /** Maximum median time from the worker's request for the file to the notification, in milliseconds. */
  maxWatcherMs?: number
  maxCallbackMs?: number
  /** Maximum memory of the worker in addition to what it had after as many small videos, in megabytes. */
  maxGrownMegabytes?: number
}

const timeoutMs = 120_000
const smallBytes = 1_000

export const deliveries: Scenario[] = [
  delivering('notified', '100 videos, watched and called back', {
    delivery: { count: 100, latencyMs: 1_000, bytes: 1_000 },
    targets: { maxWatcherMs: 250, maxCallbackMs: 500 },
  }),
  delivering('stored', '16 videos of 64 MB', {
    delivery: { count: 16, latencyMs: 500, bytes: 64 << 20 },
    targets: { maxGrownMegabytes: 100 },
  }),
]

/** Returns a scenario that submits videos, subscribes to them and receives their callbacks. */
function delivering(
  name: string,
  description: string,
  { delivery, targets }: { delivery: Delivery; targets: Targets },
): Scenario {
  const run: Scenario['run'] = system =>
    withBooksChecked(system.context, async () => {
      await using worker = await system.startWorker()
      using receiver = await receiveCallbacks()
      const cold = await deliver(system, receiver, { ...delivery, bytes: smallBytes })
      const before = readMemory(worker.pid).residentBytes
      const { notified, ids, faults } = await deliver(system, receiver, delivery)
      const grownBytes = readMemory(worker.pid).peakBytes - before

      const requestedAt = await readStamps(system, ids, receiver)
      const delayMs = (at: (id: string) => number | undefined) =>
        median(ids.map(id => (at(id) ?? Number.NaN) - (requestedAt.get(id) ?? Number.NaN)))
      const seconds = (Math.max(...notified.values()) - Math.min(...requestedAt.values())) / 1000
      return {
        rows: [
          row(
            'ms to be notified',
            {
              watcher: delayMs(id => notified.get(id)),
              callback: delayMs(id => receiver.received.get(id)?.at),
            },
            { watcher: { max: targets.maxWatcherMs }, callback: { max: targets.maxCallbackMs } },
          ),
          row('stored MB per second', { worker: (ids.length * delivery.bytes) / seconds / 1e6 }),
          row(
            'memory growth, MB',
            { worker: grownBytes / 1e6 },
            { worker: { max: targets.maxGrownMegabytes } },
          ),
        ],
        answers: cold.ids.length + ids.length,
        faults: [...cold.faults, ...faults],
      }
    })
  return { name, description, run }
}

/** Submits videos and waits until each has notified its subscriber and sent its callback. */
async function deliver(
  system: System,
  { url, received }: CallbackReceiver,
  { count, ...directions }: Delivery,
) {
  const submit = (key: string) => submitVideo(system.ports.edge, { key, directions, callbackUrl: url })
  const ids = await Promise.all(system.keys.slice(0, count).map(submit))
  await using stack = new AsyncDisposableStack()
  const notified = watchEnds(system, ids, stack)
  const isOver = () => ids.every(id => notified.has(id) && received.has(id))
  for (const startedAt = Date.now(); !isOver() && Date.now() - startedAt < timeoutMs; ) await sleep(100)
  return { ids, notified, faults: isOver() ? [] : ['a subscriber or a callback was not notified'] }
}

/** Returns a map that fills with the time of each task's notification, in milliseconds since 1970. */
function watchEnds(
  { context }: System,
  ids: readonly string[],
  stack: AsyncDisposableStack,
): Map<string, number> {
  const notified = new Map<string, number>()
  const watch = openTaskWatch(context)
  stack.defer(() => watch.close())
  const follow = async (task: { accountId: string; id: string }) => {
    const watched = await watch.task(task)
    for await (const { status } of watched?.states ?? [])
      if (status === 'success') notified.set(task.id, Date.now())
  }
  const followAll = async () => {
    const tasks = await context.sql<{ accountId: string; id: string }[]>`
      select account_id as "accountId", id from tasks where id = any(${ids}::text[])`
    await Promise.all(tasks.map(follow))
  }
  followAll().catch(error => process.stderr.write(`  watching ended: ${error}\n`))
  return notified
}

/** Resolves to the time when the worker requested each file, which the end of the file states. */
async function readStamps(
  { ports }: System,
  ids: readonly string[],
  { received }: CallbackReceiver,
): Promise<Map<string, number>> {
  const stamps = new Map<string, number>()
  for (const id of ids) {
    const url = URL.parse(received.get(id)?.url ?? '')
    if (!url) continue
    const headers = { range: `bytes=-${stampBytes}` }
    const { body } = await request(`http://127.0.0.1:${ports.edge}${url.pathname}`, { headers })
    stamps.set(id, Number(await body.text()))
  }
  return stamps
}
