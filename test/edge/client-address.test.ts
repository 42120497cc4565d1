import { expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(() => anEdgeSystem({ TRUSTED_PROXIES: '127.0.0.1/32, 10.0.0.0/8' }))

/** The key allows 203.0.113.0/24 alone. */
const seen: [string, forwardedFor: string | undefined, status: number][] = [
  ['a client that is on the list', '203.0.113.7', 200],
  ['one that is not', '198.51.100.9', 403],
  ['one that wrote an allowed address itself', '203.0.113.7, 198.51.100.9', 403],
  ['an allowed one that wrote another', '198.51.100.9, 203.0.113.7', 200],
  ['an allowed one, behind two proxies', '198.51.100.9, 203.0.113.7, 10.1.2.3', 200],
  ['one that wrote an allowed address, behind two proxies', '203.0.113.7, 198.51.100.9, 10.1.2.3', 403],
  ['IPv4 carried in IPv6', '::ffff:203.0.113.7', 200],
  ['the same in hexadecimal', '::ffff:cb00:7107', 200],
  ['an IPv6 address, which no list holds', '2001:db8::7', 403],
  ['nonsense', 'not an address', 403],
  ['the proxy itself, which says nothing', undefined, 403],
]

test.each(seen)('an IP allow list behind proxies: %s', async (_, forwardedFor, status) => {
  const client = await aClient(system, { ipWhitelist: ['203.0.113.0/24'] })
  const headers = forwardedFor === undefined ? undefined : { 'x-forwarded-for': forwardedFor }
  const answer = await client.post('/chat/completions', saying('Hi'), headers)
  expect(answer.status).toBe(status)
  if (status === 403) expect((await answer.json()).error.code).toBe('ip_not_allowed')
})

test('the request log keeps the address of the client, not of the proxy', async () => {
  const client = await aClient(system)
  await client.post('/chat/completions', saying('Hi'), { 'x-forwarded-for': '198.51.100.9, 203.0.113.7' })
  const [log] = await system.context.sql`select * from request_logs where account_id = ${client.accountId}`
  expect(log?.client_address).toBe('203.0.113.7')
})
