import { expect, test } from 'vitest'
import { changeAllowance } from '../../domain/accounts/set-allowance.ts'
import { findRequest, type RequestLog } from '../../domain/logs/request-log.ts'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { balanceOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(aByokSystem)

/** The log row of a request, once it exists. */
async function logged(client: TestClient, body: object): Promise<RequestLog> {
  const response = await client.post('/chat/completions', body)
  await response.text()
  const requestId = response.headers.get('x-request-id')!
  let found: RequestLog | undefined
  await expect
    .poll(
      async () => {
        found = await findRequest(system.context, { accountId: client.accountId, requestId })
        return found
      },
      { timeout: 5_000 },
    )
    .toBeDefined()
  return found!
}

test.each([false, true])(
  'every attempt is told: whose credential, which model, why it failed (stream: %s)',
  async stream => {
    const client = await aClient(system)
    const first = await system.aCredential(client, 'sim-bad-first-of-all', { priority: 2 })
    const second = await system.aCredential(client, 'sim-500-second', { priority: 1 })
    const { status, attempts } = await logged(client, { ...saying('Hi'), stream })
    const attempt = {
      vendor: 'vendor_a',
      model: 'vendor_a/atlas',
      reason: null,
      durationMs: expect.any(Number),
    }
    const own = ({ id }: { id: string }) => ({ ...attempt, credentialId: id, credentialName: null })
    const platform = { ...attempt, credentialId: null, credentialName: 'default' }
    expect([status, attempts]).toEqual([
      200,
      [
        { ...own(first), status: 401, error: expect.stringMatching(/^auth: Incorrect API key/) },
        { ...own(second), status: 500, error: expect.stringMatching(/^broken/) },
        { ...platform, status: 200, error: null },
      ],
    ])
    expect(JSON.stringify(attempts)).not.toContain('sim-bad')
  },
)

test('so is the one that a request failed with; one that succeeds at once needs no telling', async () => {
  const client = await aClient(system)
  expect((await logged(client, saying('Hi'))).attempts).toBeNull()
  const { status, attempts } = await logged(client, saying('Hi [[fault: 400]]'))
  expect(status).toBe(400)
  expect(attempts).toMatchObject([
    { credentialId: null, status: 400, error: expect.stringMatching(/^request: /) },
  ])
})

test("the vendor's words to the platform's credential are the operator's: the kind of failure is told", async () => {
  const client = await aClient(system)
  const { attempts } = await logged(client, saying('Hi [[fault: 404]]'))
  expect(attempts).toMatchObject([{ credentialId: null, status: 404, error: 'auth' }])
})

test('calls with own credentials are an allowance: beyond it a request is refused and charged nothing', async () => {
  const client = await aClient(system)
  await changeAllowance(system.context, { accountId: client.accountId, resource: 'own_calls', limit: 2 })
  for (const priority of [3, 2, 1]) await system.aCredential(client, `sim-500-${priority}`, { priority })
  const refused = await client.post('/chat/completions', saying('Hi'))
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { error: { code: 'allowance_exceeded', param: 'own_calls' } },
  ])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: 0n })
})

test('under an Idempotency-Key an answer of more than 64 kB is not kept', async () => {
  const client = await aClient(system)
  await system.aCredential(client, 'sim-own-keeps')
  for (const [words, again] of [
    [10, 200],
    [20_000, 422],
  ] as const) {
    const headers = { 'idempotency-key': `own ${words}` }
    const request = saying(`say ${words} words`)
    const first = await client.post('/chat/completions', request, headers)
    expect([first.status, (await first.text()).length > 65_536]).toEqual([200, words > 10])
    expect((await client.post('/chat/completions', request, headers)).status).toBe(again)
  }
})
