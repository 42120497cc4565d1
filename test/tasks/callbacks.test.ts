import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { readCallbackSecrets } from '../../domain/callbacks/callback-secrets.ts'
import { deliveriesOfTasks, triesOf } from '../../domain/callbacks/list-deliveries.ts'
import { signDelivery } from '../../domain/callbacks/sign-delivery.ts'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { closeMedia, openMedia } from '../../domain/media/media.ts'
import { openPayments } from '../../domain/stripe/open-payments.ts'
import { finishTask, type TaskEnd } from '../../domain/tasks/finish-task.ts'
import { presentTask } from '../../domain/tasks/present-task.ts'
import { findTask } from '../../domain/tasks/read-task.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { openLiveness } from '../../platform/jobs/open-liveness.ts'
import { runJobs } from '../../platform/jobs/run-jobs.ts'
import { startReceiver } from '../../simulators/receiver/start-receiver.ts'
import { openUpstreams } from '../../upstreams/call/open-upstreams.ts'
import { openCallbackSender } from '../../worker/callbacks/open-sender.ts'
import { openPoster } from '../../worker/callbacks/post-callback.ts'
import { sendCallback } from '../../worker/jobs/send-callback.ts'
import { openTaskServices } from '../../worker/tasks/task-services.ts'
import { aSystem } from '../harness/a-context.ts'
import { anAccount, anApiKey } from '../harness/an-account.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aNewTask, failure, success } from './a-task.ts'

let secrets: string[] = []

const system = perFile(aSystem)
const ledger = perFile(() => openLedger(system.context, { kind: 'edge' }), closeLedger)
const receiver = perFile(() => startReceiver({ secrets: () => secrets }))
afterEach(() => expectLedgerToBalance(system.context.sql))

const ends: TaskEnd[] = [
  success,
  failure,
  { status: 'cancelled', code: 'cancelled', message: 'The task was cancelled.' },
]

test.each(ends)('a task that ends in $status is told once, with exactly what a poll answers', async end => {
  const { context } = system
  await runCallbacks()
  const task = await aTask(`${receiver.url}/callbacks`)
  expect(await finishTask(context, task, { end })).toBe(true)
  expect(await finishTask(context, task, { end })).toBe(false)
  const states = async () =>
    (await deliveriesOfTasks(context, { accountId: task.accountId, taskIds: [task.id] })).map(
      ({ state, event: name }) => [state, name],
    )
  const event = end.status === 'success' ? 'task.completed' : 'task.failed'
  await expect.poll(states).toEqual([['delivered', event]])
  const ended = await findTask(context, task)
  const polled = ended && presentTask(ended)
  const came = receiver.callbacks.filter(({ body }) => Reflect.get(Object(body), 'id') === task.id)
  expect(came).toMatchObject([{ isVerified: true, body: polled }])
})

test('a task without an address is told nowhere', async () => {
  const task = await aTask(undefined)
  await finishTask(system.context, task, { end: success })
  const { accountId, id } = task
  expect(await deliveriesOfTasks(system.context, { accountId, taskIds: [id] })).toEqual([])
})

test('a callback whose task is gone has failed after its schedule, and keeps no worker busy', async () => {
  const { context } = system
  const task = await aTask(`${receiver.url}/callbacks`)
  await finishTask(context, task, { end: failure })
  await context.sql`delete from tasks where id = ${task.id}`
  await runCallbacks()
  const { accountId, id } = task
  const read = () => deliveriesOfTasks(context, { accountId, taskIds: [id] })
  await expect.poll(async () => (await read())[0]?.tries).toBe(1)
  const [delivery] = await read()
  const tried = () => triesOf(context, [{ accountId, id: delivery!.id }])
  await expect.poll(async () => (await tried())[0]?.error).toBe('the request could not be created')
})

async function aTask(callbackUrl: string | undefined) {
  const { context } = system
  const { accountId } = await anAccount(context)
  secrets = (await readCallbackSecrets(context, { accountId })).map(({ secret }) => secret)
  const key = await anApiKey(context, { accountId })
  return submitTask({ context, ledger: directLedger(ledger) }, aNewTask(context, key, { callbackUrl }))
}

/** Runs only the callback jobs of a worker. Tasks do not advance. */
async function runCallbacks(): Promise<void> {
  const { context, config } = system
  const [poster, upstreams] = [openPoster(config), openUpstreams(config)]
  const liveness = openLiveness({ url: config.databaseUrl, name: 'test', log: context.log })
  const callbacks = openCallbackSender(context, { post: poster.post, worker: liveness.id })
  const media = await openMedia(context)
  const payments = openPayments(config)
  const tasks = openTaskServices(context, { upstreams, media, worker: liveness.id })
  const running = runJobs({
    url: config.databaseUrl,
    name: 'test',
    log: context.log,
    services: { context, media, payments, upstreams, callbacks, tasks },
    liveness,
    jobs: [sendCallback],
    atOnce: 4,
    graceMs: 1_000,
  })
  onTestFinished(async () => {
    await running.close()
    await callbacks.close(1_000)
    await liveness.close()
    await Promise.all([poster.close(), upstreams.close(), tasks.close()])
    payments.close()
    closeMedia(media)
  })
}

const checkout = new URL('../..', import.meta.url).pathname
const ownSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

test('the receiver on the page of callbacks takes what is signed, once, and nothing else', async () => {
  const text = readFileSync(`${checkout}docs/callbacks.md`, 'utf8')
  const [, code = ''] = /```js\n(.*?)```/s.exec(text) ?? []
  const file = `${checkout}test/receiver-of-the-page.mjs` // where its import is found
  writeFileSync(file, code)
  const port = await freePort()
  const page = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, PORT: String(port), CALLBACK_SECRET: ownSecret },
  })
  let printed = ''
  page.stdout.on('data', part => {
    printed += part
  })
  const poster = openPoster({ allowLoopback: true })
  onTestFinished(async () => {
    const exited = once(page, 'exit')
    page.kill('SIGKILL')
    await exited
    rmSync(file)
    await poster.close()
  })
  const body = '{"id":"task_1","status":"success"}'
  const post = async (signing: string[], id: string) => {
    const headers = signDelivery({ id, body }, { secrets: signing, nowMs: Date.now() })
    return (await poster.post({ url: `http://127.0.0.1:${port}/`, headers, body })).status
  }
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  await vi.waitFor(async () => expect(await post([ownSecret], 'msg_1')).toBe(204), { timeout: 10_000 })
  expect(await post([other, ownSecret], 'msg_1')).toBe(204) // rotating, and sent again
  expect(await post([other], 'msg_2')).toBe(400)
  expect(printed).toBe("{ id: 'task_1', status: 'success' }\n")
})
