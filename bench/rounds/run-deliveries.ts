import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { openTaskWatch } from '../../domain/tasks/watch-tasks.ts'
import { findLedgerFaults } from '../../test/harness/ledger-faults.ts'
import { readMemory } from '../measure/measure-memory.ts'
import { median } from '../measure/percentile.ts'
import { models } from '../scenarios/models.ts'
import type { Deliveries } from '../scenarios/scenario.ts'
import { type CallbackReceiver, receiveCallbacks } from '../system/receive-callbacks.ts'
import type { System } from '../system/start-system.ts'
import { stampBytes, writeMediaDirections } from '../upstream/media.ts'
import { judgeAtMost, type Verdict } from './judge.ts'

/** The delay until clients were notified, and the rate of storing. */
export interface DeliveriesReport {
  name: string
  says: string
  /** Median time from the worker's request for the file to the notification, in milliseconds. */
  watcherMs: number
  callbackMs: number
  /** Bytes per second from the first requested file to the end of the last task. */
  storedBytesPerSecond: number
  /** Of the worker: the most resident memory, beyond what it had after as many small ones. */
  grownBytes: number
  verdict: Verdict | undefined
  faults: string[]
}

const longestWaitMs = 120_000
const coldBytes = 1_000

/** Submits tasks, watches them as subscriptions do, takes their callbacks, and checks the books. */
export async function runDeliveries(system: System, scenario: Deliveries): Promise<DeliveriesReport> {
  const { name, says, deliver } = scenario
  await using stack = new AsyncDisposableStack()
  const worker = await system.startWorker()
  stack.defer(() => worker.stop())
  const receiver = await receiveCallbacks()
  stack.defer(() => receiver.close())

  const deliverAll = async (deliver: Deliveries['deliver']) => {
    const ids = await submitAll(system, { deliver, callbackUrl: receiver.url })
    const told = watchEnds(system, ids, stack)
    const isOver = () => ids.every(id => told.has(id) && receiver.came.has(id))
    for (let waitedMs = 0; !isOver() && waitedMs < longestWaitMs; waitedMs += 100) await sleep(100)
    return { ids, told, isOver: isOver() }
  }
  await deliverAll({ ...deliver, bytes: coldBytes }) // the first find the worker cold
  const before = readMemory(worker.pid).residentBytes
  const { ids, told, isOver } = await deliverAll(deliver)
  const grownBytes = readMemory(worker.pid).peakBytes - before

  const askedAt = await readStamps(system, ids, receiver)
  const delay = (at: (id: string) => number | undefined) =>
    median(ids.map(id => (at(id) ?? Number.NaN) - (askedAt.get(id) ?? Number.NaN)))
  const seconds = (Math.max(...told.values()) - Math.min(...askedAt.values())) / 1000
  const measured = {
    watcherMs: delay(id => told.get(id)),
    callbackMs: delay(id => receiver.came.get(id)?.at),
    storedBytesPerSecond: (ids.length * deliver.bytes) / seconds,
    grownBytes,
  }
  const faults = (await findLedgerFaults(system.context.sql)).map(({ fault }) => `ledger: ${fault}`)
  const charged = await countCharged(system, ids)
  if (charged !== ids.length) faults.push(`${ids.length} tasks, but ${charged} made and charged`)
  if (!isOver) faults.push('a watcher or a callback was not told')
  return { name, says, ...measured, verdict: judge(scenario, measured), faults }
}

async function submitAll(
  { ports, keys }: System,
  { deliver, callbackUrl }: { deliver: Deliveries['deliver']; callbackUrl: string },
): Promise<string[]> {
  const { count, takeMs: durationMs, bytes } = deliver
  const prompt = `A paper boat in the rain. ${writeMediaDirections({ durationMs, bytes })}`
  const body = JSON.stringify({ model: models.videos, prompt, callback_url: callbackUrl })
  const submit = async (key: string): Promise<string> => {
    const answer = await request(`http://127.0.0.1:${ports.edge}/v1/videos/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`a submit was refused: ${answer.statusCode} ${text}`)
    return JSON.parse(text).id
  }
  return Promise.all(keys.slice(0, count).map(submit))
}

/** Returns a map that fills with the time of each task's notification. */
function watchEnds(
  { context }: System,
  ids: readonly string[],
  stack: AsyncDisposableStack,
): Map<string, number> {
  const told = new Map<string, number>()
  const watch = openTaskWatch(context)
  stack.defer(() => watch.close())
  const follow = async () => {
    const rows = await context.sql<{ accountId: string; id: string }[]>`
      select account_id as "accountId", id from tasks where id = any(${ids}::text[])`
    const watching = rows.map(async row => {
      const watched = await watch.task(row)
      for await (const { status } of watched?.states ?? [])
        if (status === 'success') told.set(row.id, Date.now())
    })
    await Promise.all(watching)
  }
  follow().catch(error => process.stderr.write(`  watching ended: ${error}\n`))
  return told
}

async function countCharged({ context: { sql } }: System, ids: readonly string[]): Promise<number> {
  const [row] = await sql<{ charged: number }[]>`
    select count(*)::int as charged from tasks
    where id = any(${ids}::text[]) and status = 'success' and cost_nanos > 0`
  return row?.charged ?? 0
}

/** When the upstream was asked for each file, which the end of the file says. */
async function readStamps(
  { ports }: System,
  ids: readonly string[],
  { came }: CallbackReceiver,
): Promise<Map<string, number>> {
  const stamps = new Map<string, number>()
  for (const id of ids) {
    const { url = '' } = came.get(id) ?? {}
    if (!URL.canParse(url)) continue
    const address = `http://127.0.0.1:${ports.edge}${new URL(url).pathname}`
    const { body } = await request(address, { headers: { range: `bytes=-${stampBytes}` } })
    stamps.set(id, Number(await body.text()))
  }
  return stamps
}

function judge(
  { atMostWatcherMs, atMostCallbackMs, atMostGrownBytes }: Deliveries,
  measured: Pick<DeliveriesReport, 'watcherMs' | 'callbackMs' | 'grownBytes'>,
): Verdict | undefined {
  const judged = [
    judgeAtMost(atMostWatcherMs, measured.watcherMs, limit => `${limit} ms to a watcher`),
    judgeAtMost(atMostCallbackMs, measured.callbackMs, limit => `${limit} ms to a callback`),
    judgeAtMost(atMostGrownBytes, measured.grownBytes, limit => `${limit / 1e6} MB grown`),
  ].filter(verdict => verdict !== undefined)
  if (judged.length === 0) return undefined
  return { target: judged.map(({ target }) => target).join(', '), isMet: judged.every(({ isMet }) => isMet) }
}
