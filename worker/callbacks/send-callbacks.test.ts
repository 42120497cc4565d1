import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readCallbackSecrets, rotateCallbackSecret } from '../../domain/callbacks/callback-secrets.ts'
import { claimDeliveries } from '../../domain/callbacks/claim-deliveries.ts'
import { findDeliveries, triesOf } from '../../domain/callbacks/list-deliveries.ts'
import { newDeliveryId, queueDelivery } from '../../domain/callbacks/queue-delivery.ts'
import { sendAgain } from '../../domain/callbacks/send-again.ts'
import type { CallbackRequest } from '../../domain/callbacks/send-delivery.ts'
import { dayMs } from '../../platform/clock.ts'
import { startReceiver } from '../../simulators/receiver/start-receiver.ts'
import { type Answer, pause } from '../../simulators/server/exchange.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { aWorkerProcess } from '../../test/harness/a-process.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { dropDeliveries, passTime } from '../../test/harness/postgres/pass-time.ts'
import { startWorker } from '../start-worker.ts'
import { openCallbackSender } from './open-sender.ts'
import { openPoster } from './post-callback.ts'

let accountId: string
let secrets: string[]

const system = perFile(() => aSystem({ WORKER_PORT: '0' }))
const receiver = perFile(() => startReceiver({ secrets: () => secrets }))
perFile(() => startWorker(system.config))
beforeEach(async () => {
  accountId = (await anAccount(system.context)).accountId
  const [current] = await readCallbackSecrets(system.context, { accountId })
  secrets = [current!.secret]
  answerWith({ status: 204 })
})

const body = '{"id":"task_1","status":"success","text":"é \\u0000 ✓"}'

async function queue(url: string, owner = accountId): Promise<string> {
  const id = newDeliveryId(system.context)
  const delivery = { accountId: owner, id, event: 'task.completed', url, body }
  expect(await queueDelivery(system.context.sql, delivery)).toBe(true)
  return id
}

/** Queues a delivery that no worker sends. */
async function queueWithoutJob(url: string): Promise<string> {
  const id = newDeliveryId(system.context)
  await system.context.sql.begin(async tx => {
    await queueDelivery(tx, { accountId, id, event: 'x', url, body })
    await tx`delete from graphile_worker._private_jobs where payload->>'accountId' = ${accountId}`
  })
  return id
}

const delivery = async (id: string) => (await findDeliveries(system.context, { accountId, ids: [id] }))[0]!
const tries = (id: string) => triesOf(system.context, [{ accountId, id }])
const answerWith = (answer: Answer) => receiver.change({ answer: () => answer })
const received = (id: string) => receiver.callbacks.filter(callback => callback.id === id)
const hasTried = (id: string, count: number) =>
  expect
    .poll(async () => (await tries(id)).filter(({ durationMs }) => durationMs !== null).length, {
      timeout: 5_000,
    })
    .toBe(count)

test('a delivery arrives once, byte for byte, signed so that the standard library verifies it', async () => {
  const id = await queue(`${receiver.url}/callbacks`)
  await expect.poll(async () => (await delivery(id)).state).toBe('delivered')
  expect(received(id)).toEqual([
    expect.objectContaining({ isVerified: true, path: '/callbacks', body: JSON.parse(body) }),
  ])
  expect(await delivery(id)).toMatchObject({ tries: 1, nextTryAt: null, endedAt: expect.any(Date) })
  expect(await tries(id)).toEqual([
    expect.objectContaining({ number: 1, status: 204, error: null, answer: '' }),
  ])
  const again = { accountId, id, event: 'task.completed', url: receiver.url, body }
  expect(await queueDelivery(system.context.sql, again)).toBe(false)
})

test('what is queued in a transaction that fails is never sent', async () => {
  const id = newDeliveryId(system.context)
  const { sql } = system.context
  const failing = sql.begin(async tx => {
    await queueDelivery(tx, { accountId, id, event: 'x', url: `${receiver.url}/callbacks`, body })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await hasTried(await queue(`${receiver.url}/callbacks`), 1)
  expect(received(id)).toEqual([])
})

test('a receiver that is down for an hour gets it once it is back, under the same id', async () => {
  answerWith({ status: 503, body: 'down' })
  const id = await queue(`${receiver.url}/callbacks`)
  await hasTried(id, 1)
  const { nextTryAt } = await delivery(id)
  expect(nextTryAt!.getTime() - Date.now()).toBeGreaterThan(3_000)
  for (const [index, wait] of ['5 seconds', '5 minutes', '30 minutes'].entries()) {
    await passTime(system.context.sql, wait)
    await hasTried(id, index + 2)
  }
  expect((await delivery(id)).state).toBe('pending')
  answerWith({ body: 'back' })
  await passTime(system.context.sql, '2 hours')
  await hasTried(id, 5)
  expect(await delivery(id)).toMatchObject({ state: 'delivered', tries: 5 })
  expect((await tries(id)).map(({ status, answer }) => [status, answer])).toEqual([
    ...Array(4).fill([503, 'down']),
    [200, 'back'],
  ])
  expect(received(id)).toHaveLength(5)
  expect(received(id).every(({ isVerified }) => isVerified)).toBe(true)
})

test('after a day it is given up, and can be sent again with the whole schedule', async () => {
  answerWith({ status: 500 })
  const id = await queue(`${receiver.url}/callbacks`)
  for (let count = 1; count <= 7; count++) {
    await hasTried(id, count)
    await passTime(system.context.sql, '10 hours')
  }
  expect(await delivery(id)).toMatchObject({ state: 'failed', nextTryAt: null, endedAt: expect.any(Date) })
  expect(await sendAgain(system.context, { accountId, id })).toMatchObject({
    state: 'pending',
    endedAt: null,
  })
  await hasTried(id, 8)
  expect(await delivery(id)).toMatchObject({ state: 'pending', nextTryAt: expect.any(Date) })
  answerWith({ status: 204 })
  await sendAgain(system.context, { accountId, id })
  await hasTried(id, 9)
  expect(await delivery(id)).toMatchObject({ state: 'delivered', tries: 9 })
  expect(received(id)).toHaveLength(9)
})

test('only its account sends a delivery again, and not without end', async () => {
  const id = await queue(`${receiver.url}/callbacks`)
  await hasTried(id, 1)
  const other = await anAccount(system.context)
  const refused = sendAgain(system.context, { accountId: other.accountId, id })
  await expect(refused).rejects.toMatchObject({ errorName: 'not_found' })
  await system.context.sql`update deliveries set tries = 100 where account_id = ${accountId}`
  await expect(sendAgain(system.context, { accountId, id })).rejects.toMatchObject({ errorName: 'conflict' })
})

test('410 stops', async () => {
  answerWith({ status: 410 })
  const id = await queue(`${receiver.url}/callbacks`)
  await hasTried(id, 1)
  expect(await delivery(id)).toMatchObject({ state: 'gone', nextTryAt: null })
})

test('a redirect is not followed', async () => {
  answerWith({ status: 302, headers: { location: '/elsewhere' } })
  const id = await queue(`${receiver.url}/callbacks`)
  await hasTried(id, 1)
  expect((await tries(id))[0]).toMatchObject({ status: 302, error: 'redirects are not followed' })
  expect(received(id).map(({ path }) => path)).toEqual(['/callbacks'])
  expect((await delivery(id)).state).toBe('pending')
})

function* endless(): Iterable<string> {
  for (;;) yield 'no end '.repeat(10_000)
}

test('of an answer without end the first bytes are kept, and its status counts', async () => {
  answerWith({ frames: endless() })
  const id = await queue(`${receiver.url}/callbacks`)
  await hasTried(id, 1)
  const [only] = await tries(id)
  expect(only).toMatchObject({ status: 200, error: null })
  expect(only?.answer).toHaveLength(1024)
  expect((await delivery(id)).state).toBe('delivered')
})

test('answers that Postgres cannot store as they are, and answers that are no HTTP, are recorded', async () => {
  const { url } = await aServer((request, response) => {
    if (request.url === '/nulls') response.end(Buffer.from([0, 255, 65]))
    else request.socket.end('no HTTP\r\n\r\n')
  })
  const [nulls, broken] = [await queue(`${url}/nulls`), await queue(`${url}/broken`)]
  await hasTried(nulls, 1)
  await hasTried(broken, 1)
  expect((await tries(nulls))[0]).toMatchObject({ status: 200, answer: '\ufffd\ufffdA' })
  expect((await tries(broken))[0]).toMatchObject({
    status: null,
    error: expect.stringMatching(/^the receiver's answer is no HTTP/),
  })
})

test('Retry-After is honoured', async () => {
  const { url } = await aServer((_, response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end()
  })
  const id = await queue(`${url}/`)
  await hasTried(id, 1)
  const waitMs = (await delivery(id)).nextTryAt!.getTime() - Date.now()
  expect(waitMs).toBeGreaterThan(3_500_000)
  expect(waitMs).toBeLessThan(3_700_000)
})

test('nobody listens, nobody is found: a reason without an address', async () => {
  const [refused, unknown] = [await queue('http://127.0.0.1:1/'), await queue('https://nowhere.invalid/')]
  await hasTried(refused, 1)
  await hasTried(unknown, 1)
  expect((await tries(refused))[0]).toMatchObject({ error: 'the receiver refused the connection' })
  expect((await tries(unknown))[0]?.error).toMatch(/^the name of the receiver/)
})

test('without ALLOW_LOOPBACK no address of this machine is reached', async () => {
  const poster = forThisTest(openPoster({ allowLoopback: false, timeoutMs: 2_000 }))
  const { port } = new URL(receiver.url)
  const before = receiver.callbacks.length
  for (const host of ['127.1', 'localhost']) {
    const result = await poster.post({ url: `https://${host}:${port}/callbacks`, headers: {}, body })
    expect(result, host).toEqual({ error: 'the address does not lead to a public one, over TLS' })
  }
  expect(receiver.callbacks.length).toBe(before)
})

test('while a secret rotates both verify; a third rotation ends the oldest; with no overlap the old one ends', async () => {
  const [first] = secrets
  const rotate = (overlapHours: number) => rotateCallbackSecret(system.context, { accountId, overlapHours })
  const [second, still] = await rotate(24)
  expect(still?.secret).toBe(first)
  expect(still?.endsAt?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000)
  for (const secret of [first!, second!.secret]) {
    secrets = [secret]
    const id = await queue(`${receiver.url}/callbacks`)
    await hasTried(id, 1)
    expect(received(id)[0]).toMatchObject({ isVerified: true })
  }
  await rotate(24)
  expect((await rotate(24)).map(({ secret }) => secret)).not.toContain(first)
  const [only, ...none] = await rotate(0)
  expect(none).toHaveLength(2)
  secrets = [only!.secret]
  const id = await queue(`${receiver.url}/callbacks`)
  await hasTried(id, 1)
  expect(received(id)[0]).toMatchObject({ isVerified: true })
  for (const overlapHours of [-1, 1.5, 169, Number.NaN])
    await expect(rotate(overlapHours)).rejects.toMatchObject({ errorName: 'validation_failed' })
})

test('the first secret of an account is one, also where many ask at once; it is sealed to its row', async () => {
  const { accountId: owner } = await anAccount(system.context)
  const read = () => readCallbackSecrets(system.context, { accountId: owner })
  const all = await Promise.all(Array.from({ length: 8 }, read))
  expect(new Set(all.flat().map(({ secret }) => secret)).size).toBe(1)
  expect(all[0]?.[0]?.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  await system.context.sql`update callback_secrets set id = gen_random_uuid() where account_id = ${owner}`
  await expect(read()).rejects.toThrow()
})

test('a receiver that never answers delays nobody else, not even another receiver of its account', async () => {
  const { server, url: dead } = await aServer(() => {})
  const connections = () =>
    new Promise<number>(resolve => server.getConnections((_, count) => resolve(count)))
  for (let count = 0; count < 100; count++) await queue(dead)
  await expect.poll(connections).toBe(8)
  const other = await anAccount(system.context)
  const own = await queue(`${receiver.url}/callbacks`)
  const others = await queue(`${receiver.url}/callbacks`, other.accountId)
  await expect.poll(() => received(own).length + received(others).length).toBe(2)
  expect(await connections()).toBe(8)
  const jobs = await system.context.sql`select from graphile_worker.jobs where locked_at is not null`
  expect(jobs.length).toBeLessThan(8) // none of them waits for the receiver
  await dropDeliveries(system.context.sql, new URL(dead).host)
})

test('a host that never answered 2xx gets 30 calls per hour over all accounts, also by sending again', async () => {
  const { sql } = system.context
  await dropDeliveries(sql, 'localhost%')
  await sql`delete from receivers where host = 'localhost'`
  let requests = 0
  const { url } = await aServer((_, response) => {
    requests++
    response.writeHead(500).end()
  })
  const unknown = `http://localhost:${new URL(url).port}`
  const attackers = await Promise.all([1, 2, 3].map(() => anAccount(system.context)))
  const ids = await Promise.all(
    attackers.flatMap(({ accountId: attacker }) =>
      Array.from({ length: 15 }, () => queue(`${unknown}/x`, attacker)),
    ),
  )
  const waiting = () => sql`
    select from deliveries where id = any(${ids}) and state = 'pending' and due_at > now() + interval '50 minutes'`
  await expect.poll(() => requests).toBe(30)
  await expect.poll(async () => (await waiting()).length).toBeGreaterThanOrEqual(15)

  const again = await queue(`${unknown}/x`)
  await sendAgain(system.context, { accountId, id: again })
  await expect
    .poll(async () => (await delivery(again)).nextTryAt?.getTime())
    .toBeGreaterThan(Date.now() + 60_000)
  expect(await delivery(again)).toMatchObject({ tries: 0, state: 'pending' })
  expect(requests).toBe(30)

  await sql`update receivers set hour_at = hour_at - interval '1 hour' where host = 'localhost'`
  await passTime(sql, '1 hour')
  await expect.poll(() => requests).toBe(60)
  await dropDeliveries(sql, 'localhost%')
})

test('a worker whose clock is 75 days ahead signs with the time of Postgres', async () => {
  const posted: CallbackRequest[] = []
  const clock = { ...system.context.clock, now: () => Date.now() + 75 * dayMs }
  const sender = openCallbackSender(
    { ...system.context, clock },
    { worker: async () => 'test', post: async request => ({ status: posted.push(request) + 199 }) },
  )
  const id = await queueWithoutJob(receiver.url)
  await sender.sendDue({ accountId, receiver: new URL(receiver.url).host })
  await hasTried(id, 1)
  const signedAt = Number(posted[0]?.headers['webhook-timestamp']) * 1000
  expect(Math.abs(signedAt - Date.now())).toBeLessThan(dayMs)
  await sender.close(1_000)
})

test('a receiver that is too slow has failed, and its connection is closed', async () => {
  const poster = forThisTest(openPoster({ allowLoopback: true, timeoutMs: 200 }))
  const sender = openCallbackSender(system.context, { post: poster.post, worker: async () => 'test' })
  receiver.change({ answer: exchange => pause(exchange, 5_000).then(() => ({})) })
  const id = await queueWithoutJob(`${receiver.url}/callbacks`)
  await sender.sendDue({ accountId, receiver: new URL(receiver.url).host })
  await hasTried(id, 1)
  expect((await tries(id))[0]).toMatchObject({ status: null, error: 'no answer within 0.2 seconds' })
  await sender.close(1_000)
})

test('a delivery whose senders always die is given up with its schedule', async () => {
  const id = await queueWithoutJob(`${receiver.url}/callbacks`)
  await system.context.sql`update deliveries set step = 7, tries = 7 where id = ${id}`
  const claim = { accountId, receiver: new URL(receiver.url).host, max: 8, sender: 'test' }
  expect(await claimDeliveries(system.context, claim)).toEqual([])
  expect(await delivery(id)).toMatchObject({ state: 'failed', tries: 7, endedAt: expect.any(Date) })
})

test('a burst to one receiver is sent by two workers, each delivery once', async () => {
  forThisTest(await startWorker(system.config))
  const ids = await Promise.all(Array.from({ length: 100 }, () => queue(`${receiver.url}/callbacks`)))
  await expect
    .poll(
      async () => {
        const rows = await findDeliveries(system.context, { accountId, ids })
        return rows.filter(({ state }) => state === 'delivered').length
      },
      { timeout: 15_000 },
    )
    .toBe(100)
  for (const id of ids) expect(received(id)).toHaveLength(1)
})

test('a worker that is killed between the request and its record: another sends it again within seconds, under the same id', async () => {
  const own = forThisTest(await aSystem({ WORKER_PORT: '0' }))
  const { accountId: owner } = await anAccount(own.context)
  const requests: IncomingHttpHeaders[] = []
  let isBack = false
  const { url } = await aServer((request, response) => {
    requests.push(request.headers)
    if (isBack) response.writeHead(204).end()
  })
  const killed = await aWorkerProcess({ ...own, children: new Set() })
  onTestFinished(() => killed.kill())
  const id = newDeliveryId(own.context)
  await queueDelivery(own.context.sql, { accountId: owner, id, event: 'x', url, body })
  await expect.poll(() => requests.length).toBe(1)
  await killed.kill()
  isBack = true
  forThisTest(await startWorker(own.config))
  await expect.poll(() => requests.length).toBe(2)
  expect(requests.map(headers => headers['webhook-id'])).toEqual([id, id])
  const read = () => triesOf(own.context, [{ accountId: owner, id }])
  await expect.poll(async () => (await read()).at(-1)?.status).toBe(204)
  expect(await read()).toMatchObject([
    { number: 1, durationMs: null, status: null },
    { number: 2, status: 204 },
  ])
  const [taken] = await findDeliveries(own.context, { accountId: owner, ids: [id] })
  expect(taken).toMatchObject({ state: 'delivered', tries: 2 })
}, 30_000)

/** A server of the test's own. */
async function aServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}` }
}
