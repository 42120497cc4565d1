import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { deleteCredential, updateCredential } from '../../domain/byok/change-credentials.ts'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'
import { aTaskSystem, submit } from './a-task-system.ts'

// A model of vendor_a that is polled: vendor_m's, under another name.
const system = perFile(() => aTaskSystem({}, { ownModel: 'vendor_a/film' }))
afterEach(() => expectLedgerToBalance(system.context.sql))

const film = { model: 'vendor_a/film', prompt: 'A paper boat' }
const speech = { model: 'vendor_a/orator', input: 'Good morning' }
const failure = (error: object) => ({ status: 'failed', error })

test('with always_use nothing is held, also without a balance, and nothing is charged', async () => {
  const client = await aClient(system, { creditNanos: 0n })
  const { id: byokId } = await system.aCredential(client, 'sim-own-key', { alwaysUse: true })
  const id = await submit(system, client, film)
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: 0n })
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  expect(await logsOf(system, client)).toMatchObject([{ status: 200, cost_nanos: 0n, byok_id: byokId }])
  expect(await system.rowOf(byokId)).toMatchObject({ last_error: null, last_used_at: expect.any(Date) })
})

test('without it the platform price is held, and released where a credential of its own did it', async () => {
  const client = await aClient(system)
  await system.aCredential(client, 'sim-own-key')
  const id = await submit(system, client, speech, '/audio/speech')
  const { held } = await balanceOf(system.context.sql, client.accountId)
  expect(held).toBeGreaterThan(0n)
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  await expectFree(client)
})

test('where its own fails, the platform does it, and it is charged', async () => {
  const client = await aClient(system)
  const { id: byokId } = await system.aCredential(client, 'sim-bad-key')
  const id = await submit(system, client, film)
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  expect((await system.rowOf(byokId)).last_error).toContain('401')
  expect(await logsOf(system, client)).toMatchObject([{ byok_id: null }])
  const charged = await system.context.sql`select * from transactions where task_id = ${id}`
  expect(charged).toHaveLength(1)
})

test('where its own fails and says always_use, the task has failed with the words of its vendor', async () => {
  const client = await aClient(system)
  await system.aCredential(client, 'sim-bad-key', { alwaysUse: true })
  const id = await submit(system, client, film)
  const error = { code: 'upstream_auth', message: expect.stringContaining('your own credential') }
  expect(await system.ended(client, id)).toMatchObject({ status: 'failed', error })
  await expectFree(client)
})

test('where its own vendor may have begun, the platform does not make it as well', async () => {
  const client = await aClient(system)
  const submits: unknown[] = []
  const own = createServer((request, response) => {
    submits.push(request.headers['idempotency-key'])
    request.resume().on('end', () => {
      if (submits.length === 1) return request.socket.destroy()
      const isBusy = submits.length === 2
      const error = { message: 'It rained.' }
      const body = isBusy ? { error: { message: 'busy' } } : { id: 'video_1', status: 'failed', error }
      response.writeHead(isBusy ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(own, 'listening')
  try {
    const address = own.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await system.aCredential(client, 'sim-own-key', { baseUrl: `http://127.0.0.1:${port}` })
    const before = system.simulator.calls.length
    const id = await submit(system, client, film)
    expect(await system.ended(client, id)).toMatchObject(failure({ message: 'It rained.' }))
    expect(submits).toEqual([id, id, id])
    expect(system.simulator.calls).toHaveLength(before)
    await expectFree(client)
  } finally {
    own.close()
  }
})

test('a running task is asked for with the credential that submitted it, though others go before it now', async () => {
  const client = await aClient(system)
  const first = await system.aCredential(client, 'sim-first-key')
  const id = await submit(system, client, { ...film, prompt: 'A paper boat [[fault: takes;ms=1200]]' })
  await untilRunning(id)
  await system.aCredential(client, 'sim-second-key', { priority: 10 })
  const { accountId } = client
  await updateCredential(system.management(), { accountId, id: first.id, changes: { disabled: true } })
  const before = system.simulator.calls.length
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  expect(new Set(system.usedKeys().slice(before))).toEqual(new Set(['sim-first-key']))
})

test('a running task whose credential was deleted has failed, and says why', async () => {
  const client = await aClient(system)
  const { id: byokId } = await system.aCredential(client, 'sim-own-key')
  const id = await submit(system, client, { ...film, prompt: 'A paper boat [[fault: takes;ms=60000]]' })
  await untilRunning(id)
  await deleteCredential(system.management(), { accountId: client.accountId, id: byokId })
  expect(await system.ended(client, id)).toMatchObject(failure({ code: 'credential_not_found' }))
  await expectFree(client)
})

test('what its own credential makes is stored up to a size, and up to an amount a day', async () => {
  const settings = { OWN_RESULT_LIMIT_BYTES: '100000', ALLOWANCES: 'own_result_bytes=60000/60000' }
  const narrow = forThisTest(await aTaskSystem(settings, { ownModel: 'vendor_a/film' }))
  const client = await aClient(narrow)
  await narrow.aCredential(client, 'sim-own-key', { alwaysUse: true })
  const make = async (fault: string) => {
    const id = await submit(narrow, client, { ...film, prompt: `A paper boat [[fault: ${fault}]]` })
    return narrow.ended(client, id, 20_000)
  }
  expect(await make('large;n=200000')).toMatchObject(failure({ code: 'result_unusable' }))
  expect(await make('large;n=59000')).toMatchObject({ status: 'success' })
  expect(await make('large;n=59000')).toMatchObject(failure({ code: 'allowance_exceeded' }))
}, 60_000)

test('a disabled one that says always_use refuses the submit', async () => {
  const client = await aClient(system)
  await system.aCredential(client, 'sim-own-key', { alwaysUse: true, disabled: true })
  const response = await client.post('/videos/generations', film)
  expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'byok_disabled' } }])
})

async function expectFree({ accountId }: TestClient): Promise<void> {
  const all = { credits: 100_000_000_000n, held: 0n }
  expect(await balanceOf(system.context.sql, accountId)).toMatchObject(all)
}

function untilRunning(id: string) {
  const state = async () => (await system.context.sql`select status from tasks where id = ${id}`)[0]
  return expect.poll(state, { interval: 20 }).toEqual({ status: 'running' })
}
