import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { claimDeliveries, freeLostTries } from '../../domain/callbacks/claim-deliveries.ts'
import { deliveriesOfTasks } from '../../domain/callbacks/list-deliveries.ts'
import { sendDelivery } from '../../domain/callbacks/send-delivery.ts'
import { directLedger } from '../../domain/committer/open-committer.ts'
import type { Context } from '../../domain/context.ts'
import { runOnce } from '../../domain/idempotency/run-once.ts'
import type { Ledger } from '../../domain/ledger/ledger.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { openMedia } from '../../domain/media/media.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { cancelTask } from '../../domain/tasks/cancel-task.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { findTask } from '../../domain/tasks/read-task.ts'
import { type NewTask, submitTask, taskIdOf } from '../../domain/tasks/submit-task.ts'
import type { Task, TaskName } from '../../domain/tasks/task.ts'
import { changeTask } from '../../domain/tasks/task-steps.ts'
import { startReceiver } from '../../simulators/receiver/start-receiver.ts'
import { type RunningSimulator, startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { openUpstreams } from '../../upstreams/call/open-upstreams.ts'
import { openPoster } from '../../worker/callbacks/post-callback.ts'
import { advance } from '../../worker/tasks/advance.ts'
import { openTaskServices, type TaskServices } from '../../worker/tasks/task-services.ts'
import { aSystem, type TestSystem } from '../harness/a-context.ts'
import { anAccount, anApiKey } from '../harness/an-account.ts'
import { simulatedVendors } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { aCutContext, aMortalContext, type Death } from '../harness/postgres/a-mortal-context.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { aNewTask, failure } from './a-task.ts'

let simulator: RunningSimulator
let system: TestSystem
let ledger: Ledger
let healthy: TaskServices

beforeAll(async () => {
  simulator = await startSimulator()
  simulator.change({ generationMs: 20 })
  const catalogue = await theCatalogue()
  system = await aSystem(simulatedVendors(catalogue.vendors, simulator.url))
  await applyCatalogue(system.context, catalogue)
  ledger = await openLedger(system.context, { kind: 'edge' })
  healthy = await aWorker(system.context)
})
afterEach(() => expectLedgerToBalance(system.context.sql))
afterAll(async () => {
  await healthy.close()
  await closeLedger(ledger)
  await simulator.close()
  await system.close()
})

const credit = 100_000_000_000n
const price = 500_000_000n
const deaths = (at: number): Death[] => [
  { at, when: 'before' },
  { at, when: 'after' },
]

const film = { prompt: 'A paper boat', duration: 5, resolution: '720p' }
const spoken = { input: 'Good morning', voice: 'amber', response_format: 'mp3', speed: 1 }
const tasks: [does: string, made: string, task: Partial<NewTask>, mayEnd: string[]][] = [
  ['honours idempotency keys', 'a video', { model: 'vendor_i/reel', parameters: film }, ['success']],
  [
    'honours none',
    'a video',
    { model: 'vendor_k/flipbook', parameters: film },
    ['success', 'failed interrupted'],
  ],
  [
    'answers at once',
    'speech',
    { kind: 'speech', model: 'vendor_n/herald', parameters: spoken },
    ['success'],
  ],
]

test.each(tasks)(
  'a worker killed before or after each of its statements, where the vendor %s: %s is charged once, or not at all',
  async (_, __, task, mayEnd) => {
    let at = 1
    const ends = new Set<string>()
    for (let isOver = false; !isOver; at++) {
      const lives = await Promise.all(deaths(at).map(death => carry(task, death)))
      for (const { end } of lives) ends.add(end)
      isOver = lives.every(({ hasDied }) => !hasDied)
    }
    expect([...ends].sort()).toEqual(mayEnd.toSorted())
    expect(at).toBeGreaterThan(8) // it was killed at every step, and not at the first one alone
  },
  120_000,
)

const hour = 3_600_000
type Began = (task: Task) => Promise<unknown>

test.each<[string, string, Began]>([
  [
    'that nobody took up within its time limit, and its vendor is not asked',
    'failed timed_out',
    ({ id }) => system.context.sql`update tasks set ends_at = now() where id = ${id}`,
  ],
  [
    'whose model is not there any more',
    'failed model_not_found',
    ({ id }) => system.context.sql`update tasks set model = 'vendor_i/none' where id = ${id}`,
  ],
  [
    'whose result could not be stored for a day',
    'failed result_lost',
    async task => {
      const files = [{ url: 'https://media.example/a.mp4' }]
      await changeTask(system.context, task, { status: 'storing', files })
      await system.context
        .sql`update tasks set ends_at = ${new Date(Date.now() - 25 * hour)} where id = ${task.id}`
    },
  ],
  [
    'that is cancelled while its vendor is too busy to take it',
    'cancelled cancelled',
    async task => {
      await changeTask(system.context, task, { status: 'submitting', nextMs: 60_000 })
      await cancelTask(system.context, task)
    },
  ],
])('a task %s: %s, and released', async (_, end, began) => {
  const { context } = system
  const { accountId } = await anAccount(context)
  const key = await anApiKey(context, { accountId })
  const parameters = { ...film, prompt: accountId }
  const task = await submitTask(
    { context, ledger: directLedger(ledger) },
    aNewTask(context, key, { parameters }),
  )
  await began(task)
  const ended = await untilEnded(healthy, task)
  expect(`${ended.status} ${ended.errorCode}`).toBe(end)
  expect(await balanceOf(context.sql, accountId)).toEqual({ credits: credit, held: 0n, in_use: 0n })
  expect(await logsOf(system, { accountId })).toMatchObject([{ cost_nanos: 0n, error_code: ended.errorCode }])
  const asked = simulator.calls.filter(({ body }) => JSON.stringify(body ?? '').includes(accountId))
  expect(asked).toEqual([])
})

test('a worker whose clock is 75 days ahead ends no task for its time limit', async () => {
  const { context } = system
  const key = await anApiKey(context, await anAccount(context))
  const task = await submitTask(
    { context, ledger: directLedger(ledger) },
    aNewTask(context, key, { parameters: film }),
  )
  const clock = { ...context.clock, now: () => Date.now() + 75 * 24 * hour }
  const ahead = await aWorker({ ...context, clock })
  onTestFinished(() => ahead.close())
  expect(await untilEnded(ahead, task)).toMatchObject({ status: 'success' })
})

/** A task whose worker dies, and which another then carries to its end. */
async function carry(options: Partial<NewTask>, death: Death): Promise<{ hasDied: boolean; end: string }> {
  const { context } = system
  const { accountId } = await anAccount(context)
  const key = await anApiKey(context, { accountId })
  const vendor = options.model?.split('/')[0] ?? ''
  const prompts = { ...options.parameters, [options.kind === 'speech' ? 'input' : 'prompt']: accountId }
  const given = aNewTask(context, key, { ...options, vendor, parameters: prompts })
  const task = await submitTask({ context, ledger: directLedger(ledger) }, given)
  const mortal = aMortalContext(context, death)
  const dying = await aWorker(mortal.context)
  const outcome = await Promise.race([mortal.died, untilEnded(dying, task)])
  const ended = await untilEnded(healthy, task)
  await expectChargedOnce(ended, { ...key, isRepeatable: vendor !== 'vendor_k' })
  await dying.close()
  const end = [ended.status, ended.errorCode].filter(Boolean).join(' ')
  return { hasDied: outcome === 'died', end }
}

async function expectChargedOnce(
  { id, accountId, status, results }: Task,
  { isRepeatable }: { isRepeatable: boolean },
): Promise<void> {
  const { sql } = system.context
  const cost = status === 'success' ? price : 0n
  expect(await balanceOf(sql, accountId)).toEqual({ credits: credit - cost, held: 0n, in_use: 0n })
  const charged = await sql`select credits_nanos from transactions where task_id = ${id}`
  expect(charged.map(row => row.credits_nanos)).toEqual(cost > 0n ? [-price] : [])
  expect(await logsOf(system, { accountId })).toMatchObject([{ cost_nanos: cost }])
  const whole = await sql`select name from media_files where task_id = ${id} and stored_at is not null`
  const urls = whole.map(({ name }) => `${system.config.mediaUrl}/${name}`)
  for (const { url } of results ?? []) expect(urls).toContain(url)
  const submits = simulator.calls.filter(
    ({ method, body }) => method === 'POST' && JSON.stringify(body).includes(accountId),
  )
  if (!isRepeatable) expect(submits.length).toBeLessThanOrEqual(1)
  const keys = submits.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
  expect(new Set(keys).size).toBeLessThanOrEqual(1)
}

test('an edge killed before or after each of its statements: the next try under the key answers one task', async () => {
  const { context } = system
  let hasDied = true
  let at = 1
  for (; hasDied; at++) {
    hasDied = false
    for (const death of deaths(at)) {
      const { accountId } = await anAccount(context)
      const key = await anApiKey(context, { accountId })
      const mortal = aMortalContext(context, death)
      const dying = await openLedger(context, { kind: 'edge' })
      const submitting = submitOnce({ context: mortal.context, ledger: dying }, key)
      hasDied = (await Promise.race([mortal.died, submitting])) === 'died' || hasDied
      await closeLedger(dying) // no heartbeat any more
      const id = await submitOnce({ context, ledger }, key)
      const rows = await context.sql`select id from tasks where account_id = ${accountId}`
      expect(rows.map(row => row.id)).toEqual([id])
      expect(await balanceOf(context.sql, accountId)).toMatchObject({ held: price })
      expect((await untilEnded(healthy, { accountId, id })).status).toBe('success')
    }
  }
  expect(at).toBeGreaterThan(3)
}, 60_000)

test('a submit whose task cannot be read back at once is answered; one whose never can is withdrawn', async () => {
  const { context } = system
  const { accountId } = await anAccount(context)
  const key = await anApiKey(context, { accountId })
  const submitCut = (cuts: number[]) => {
    const cut = aCutContext(context, statement => cuts.includes(statement))
    return submitTask({ context: cut, ledger: directLedger(ledger) }, aNewTask(context, key))
  }
  const [read, again] = [2, 3]
  expect(await submitCut([read])).toMatchObject({ status: 'queued', heldNanos: price })
  await expect(submitCut([read, again, again + 1])).rejects.toMatchObject({ errorName: 'settlement_unknown' })
  const statuses = async () =>
    (await context.sql`select status from tasks where account_id = ${accountId} order by id`).map(
      row => row.status,
    )
  await expect.poll(statuses).toEqual(['queued', 'cancelled'])
  expect(await balanceOf(context.sql, accountId)).toMatchObject({ credits: credit, held: price })
})

/** Submits the one task of a key under the same Idempotency-Key. Returns the ID in the response. */
async function submitOnce(
  { context, ledger: open }: { context: Context; ledger: Ledger },
  key: { accountId: string; keyId: string },
): Promise<string> {
  const requestId = context.ids.tagged('req_')
  const claim = { ...key, key: 'once', fingerprint: Buffer.from('same'), startedAt: context.clock.now() }
  const told: string[] = []
  const answer = await runOnce(context, new Map(), {
    claim: { ...claim, processId: open.processId, requestId },
    patience: { leftMs: 10_000 },
    signal: new AbortController().signal,
    async run({ requestId: claimedId, startedAt, keep }) {
      const names = { id: taskIdOf(claimedId), requestId: claimedId, createdAt: startedAt }
      const { id } = await submitTask(
        { context, ledger: directLedger(open) },
        aNewTask(context, key, { ...names, parameters: film }),
      )
      await keep({ status: 200, contentType: 'text/plain', body: Buffer.from(id) })
      told.push(id)
    },
  })
  return told[0] ?? (typeof answer === 'object' ? Buffer.from(answer.body).toString() : '')
}

test('a sender killed before or after each of its statements: the callback arrives, always under one id', async () => {
  const { context } = system
  const [receiver, poster] = [await startReceiver({ secrets: () => [] }), openPoster(system.config)]
  onTestFinished(() => Promise.all([receiver.close(), poster.close()]).then(() => {}))
  const { host } = new URL(receiver.url)
  const send = async (of: Context, accountId: string) => {
    const due = { accountId, receiver: host, max: 8, sender: of.ids.uuid() }
    for (const begun of await claimDeliveries(of, due))
      await sendDelivery(of, begun, { post: poster.post, max: 8 })
  }
  let at = 1
  for (let hasDied = true; hasDied; at++) {
    hasDied = false
    for (const death of deaths(at)) {
      const { accountId } = await anAccount(context)
      const key = await anApiKey(context, { accountId })
      const callbackUrl = `${receiver.url}/callbacks`
      const { id } = await submitTask(
        { context, ledger: directLedger(ledger) },
        aNewTask(context, key, { callbackUrl }),
      )
      await finishTask(context, { accountId, id }, { end: failure })
      const mortal = aMortalContext(context, death)
      hasDied = (await Promise.race([mortal.died, send(mortal.context, accountId)])) === 'died' || hasDied
      await freeLostTries(context)
      await send(context, accountId)
      const deliveries = await deliveriesOfTasks(context, { accountId, taskIds: [id] })
      expect(deliveries).toMatchObject([{ state: 'delivered' }])
      const arrived = receiver.callbacks.filter(({ body }) => Reflect.get(Object(body), 'id') === id)
      expect(new Set(arrived.map(callback => callback.id))).toEqual(new Set([deliveries[0]?.id]))
    }
  }
  expect(at).toBeGreaterThan(4)
}, 60_000)

async function aWorker(context: Context): Promise<TaskServices> {
  const [media, upstreams] = [await openMedia(context), openUpstreams(context.config)]
  const services = openTaskServices(context, { media, upstreams, worker: async () => context.ids.uuid() })
  return {
    ...services,
    async close() {
      await Promise.all([services.close(), upstreams.close()])
    },
  }
}

/** Advances a task until it has ended, as the jobs would. */
async function untilEnded(services: TaskServices, name: TaskName): Promise<Task> {
  for (const until = performance.now() + 20_000; performance.now() < until; await sleep(10)) {
    await advance(services, name, new AbortController().signal)
    const task = await findTask(services.context, name)
    if (task?.finishedAt) return task
  }
  throw new Error(`the task ${name.id} has not ended`)
}
