import { expect, onTestFinished, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { subgraph as accounts } from '../accounts/subgraph.ts'
import { openSignedCall, signCall } from './signed-call.ts'
import { startSubgraph } from './start-subgraph.ts'

const call = { requestId: 'req_12345678', address: '192.0.2.1', caller: undefined, refusal: undefined }
const signing = {
  secrets: ['a-secret-between-us'],
  subgraph: 'keys',
  body: '{"query":"{ __typename }"}',
  now: 1_000_000,
}

test('a signed call is accepted only by its subgraph, with its body, within 60 seconds', () => {
  const headers = signCall(call, signing)
  expect(openSignedCall(headers, signing)?.call).toEqual(call)
  for (const late of [-60_000, 60_000])
    expect(openSignedCall(headers, { ...signing, now: signing.now + late })?.call).toEqual(call)
  for (const other of [
    { now: signing.now + 60_001 },
    { now: signing.now - 60_001 },
    { body: '{"query":"{ me { id } }"}' },
    { subgraph: 'billing' },
    { secrets: ['another-secret-between'] },
  ])
    expect(openSignedCall(headers, { ...signing, ...other }), JSON.stringify(other)).toBeUndefined()
})

test('the first secret signs, and every secret is accepted', () => {
  const [first, second] = ['a-new-secret-between-us', 'an-old-secret-between-us']
  const both = { ...signing, secrets: [first, second] }
  for (const secrets of [[second], [first]])
    expect(openSignedCall(signCall(call, { ...signing, secrets }), both)?.call).toEqual(call)
  const headers = signCall(call, both)
  expect(openSignedCall(headers, { ...signing, secrets: [first] })?.call).toEqual(call)
  expect(openSignedCall(headers, { ...signing, secrets: [second] })).toBeUndefined()
})

test('each signed call has its own nonce', () => {
  const nonce = () => openSignedCall(signCall(call, signing), signing)?.nonce
  expect(new Set(Array.from({ length: 100 }, nonce)).size).toBe(100)
})

test.each([
  ['with Redis, across all processes of the subgraph', {}, 401],
  ['without Redis, at the process that received it', { REDIS_URL: 'redis://127.0.0.1:1' }, 200],
])('a signed call is valid once: %s', async (_, env: Record<string, string>, elsewhere) => {
  const system = await aSystem({ SUBGRAPH_PORT: '0', ...env })
  const [one, other] = [
    await startSubgraph(system.config, accounts),
    await startSubgraph(system.config, accounts),
  ]
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close()])
    await system.close()
  })
  const body = '{"query":"{ __typename }"}'
  const sign = () => ({
    'content-type': 'application/json',
    ...signCall(call, {
      secrets: system.config.subgraphSecrets,
      subgraph: 'accounts',
      body,
      now: Date.now(),
    }),
  })
  const send = async (url: string, signed: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers: signed, body })).status
  const sendToBoth = async () => {
    const signed = sign()
    expect(await send(one.url, signed)).toBe(200)
    return send(other.url, signed)
  }
  await expect.poll(sendToBoth, { timeout: 5_000 }).toBe(elsewhere) // until Redis is connected
  const headers = sign()
  const atOnce = await Promise.all(Array.from({ length: 5 }, () => send(one.url, headers)))
  expect(atOnce.sort()).toEqual([200, 401, 401, 401, 401])
  const byGet = await fetch(`${one.url}/?query={__typename}`, { headers: sign() })
  expect(byGet.status).toBe(401)
})
