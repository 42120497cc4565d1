import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { startControl } from '../../gateway/start-control.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { aSystem } from '../harness/a-context.ts'
import { anEdgeProcess } from '../harness/a-process.ts'
import { aPerson, aRestCaller } from '../harness/a-rest-caller.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { chargedRequests } from '../harness/ledger/charged-requests.ts'
import { perFile } from '../harness/per-file.ts'
import { aPooler } from '../harness/postgres/a-pooler.ts'
import { findPgBouncer } from '../harness/postgres/start-pgbouncer.ts'

const pgBouncer = findPgBouncer('A system behind PgBouncer')

// An older PgBouncer is refused when a process starts: platform/postgres/role-limits.test.ts.
describe.skipIf(!pgBouncer?.keepsStatements)('behind PgBouncer in transaction mode', () => {
  const pooler = perFile(() => aPooler(pgBouncer!))
  const system = perFile(() =>
    anEdgeSystem({ WORKER_PORT: '0' }, { openSystem: env => aSystem(env, url => pooler.settingsOf(url)) }),
  )
  const control = perFile(() => startControl(system.config))
  perFile(() => startWorker(system.config))

  test('edge, control plane and worker share ten server connections', async () => {
    const rest = aRestCaller(control.url)
    const { token, accountId } = await aPerson(rest)
    const { body: made } = await rest('POST', '/api-keys', { token, body: { name: 'first' } })
    const refused = await clientOf(system, keyOf(made, accountId)).post('/chat/completions', saying('Hi'))
    expect(refused.status).toBe(402)
    const client = await aClient(system)
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => client.post('/chat/completions', saying('Hi'))),
    )
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const task = await client.post('/videos/generations', { model: 'vendor_i/reel', prompt: 'A sea' })
    const { id } = await task.json()
    await expect.poll(() => stateOf(client, id), { timeout: 30_000 }).toBe('success')
    const { body: keys } = await rest('GET', '/api-keys', { token })
    expect(keys).toMatchObject([{ name: 'first' }])
    const listed = await rest('GET', '/billing/transactions', { token: client.text })
    expect([listed.status, listed.body.data?.length]).toEqual([200, 20])
    expect((await rest('DELETE', `/api-keys/${made.id}`, { token })).status).toBe(204)
    const after = await clientOf(system, keyOf(made, accountId)).post('/chat/completions', saying('Hi'))
    expect(after.status).toBe(401)
  })

  test.each([
    ['one edge process', '1'],
    ['two edge processes and their committer', '2'],
  ])(
    'PgBouncer killed under load of %s: each answer is charged once',
    async (_, EDGE_PROCESSES) => {
      const edge = await anEdgeProcess(system, { EDGE_PROCESSES })
      const client = clientOf(edge, await aClient(system))
      const before = await chargedRequests(system.context.sql)
      const answered = new Set<string>()
      let isOver = false
      const load = Array.from({ length: 12 }, async () => {
        while (!isOver) {
          const response = await client.post('/chat/completions', { ...saying('Hi'), max_tokens: 1 })
          await response.text()
          if (response.status === 200) answered.add(response.headers.get('x-request-id') ?? '')
          else expect(response.status).toBe(503)
          if (response.status !== 200) await sleep(20)
        }
      })
      for (let turn = 0; turn < 4; turn++) {
        const known = answered.size
        await vi.waitFor(() => expect(answered.size).toBeGreaterThan(known + 50), 20_000)
        await pooler.restart()
      }
      isOver = true
      await Promise.all(load)
      // A request that was not answered with 200 may have been charged, and is refunded.
      await vi.waitFor(async () => {
        const charged = [...(await chargedRequests(system.context.sql))].filter(id => !before.has(id))
        expect(charged.sort()).toEqual([...answered].sort())
      }, 20_000)
      await edge.kill()
      await expectLedgerToBalance(system.context.sql)
    },
    120_000,
  )

  async function stateOf({ text }: TestClient, id: string): Promise<string> {
    const headers = { authorization: `Bearer ${text}` }
    const response = await fetch(`${system.baseURL}/videos/generations/${id}`, { headers })
    const { status } = await response.json()
    return status
  }
})

function keyOf({ id, key }: { id: string; key: string }, accountId: string) {
  return { accountId, keyId: id, text: key }
}
