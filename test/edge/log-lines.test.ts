import { expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { answerJson, aVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'
import { type LogLine, runControl, runEdge } from './run-process.ts'

const system = perFile(anEdgeSystem)

const asJson = { 'content-type': 'application/json' }
const password = 'pass-word-that-is-secret'
const wrongPassword = 'guess-that-may-be-right-elsewhere'
const byokSecret = 'sk-upstream-0123456789abcdef'
const prompt = 'what nobody else is to read'

test('edge and control: one line a request with its fields, and no secret in any', async () => {
  const loud = { LOG_LEVEL: 'debug', ALLOW_LOOPBACK: 'true' }
  const control = await runControl(system.config, { ...loud, TRUSTED_PROXIES: '127.0.0.1/32' })
  const edge = await runEdge(system.config, {
    ...loud,
    CONTROL_URL: control.url,
    VENDOR_A_API_KEY: 'sim-platform-key',
    VENDOR_A_BASE_URL: `${system.simulator.url}/openai/v1`,
  })
  await Promise.all([control.linesSaying('ready', 1), edge.linesSaying('ready', 1)])
  const vendor = forThisTest(
    await aVendor((response, { key: vendorKey }) =>
      answerJson(response, 401, { error: { message: `no such key: ${vendorKey}` } }),
    ),
  )

  const sent: { id: string; status: number; method: string; path: string }[] = []
  const ask = async (method: string, path: string, bearer?: string, body?: unknown) => {
    const answer = await fetch(edge.url + path, {
      method,
      headers: { ...asJson, ...(bearer && { authorization: `Bearer ${bearer}` }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const id = answer.headers.get('x-request-id') ?? ''
    sent.push({ id, status: answer.status, method, path: path.replace(/\?.*/, '') })
    const text = await answer.text()
    return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text
  }

  const person = { email: 'ada@example.com', password }
  const signedUp = await ask('POST', '/api/v1/auth/sign-up', undefined, person)
  await ask('POST', '/api/v1/auth/log-in', undefined, { ...person, password: wrongPassword })
  const session = await ask('POST', '/api/v1/auth/refresh', undefined, {
    refresh_token: signedUp.refresh_token,
  })
  const jwt: string = session.access_token
  const { key } = await ask('POST', '/api/v1/api-keys', jwt, { name: 'logged' })
  const accountId: string = signedUp.account.id
  await creditAccount(system.context, {
    accountId,
    amountNanos: 1_000_000_000n,
    source: 'grant',
    paymentMethod: 'grant',
  })
  const credential = { provider: 'vendor_a', label: 'own', api_key: byokSecret, base_url: vendor.url }
  const { id } = await ask('POST', '/api/v1/byok', jwt, credential)
  await ask('POST', '/api/v1/byok', jwt, { ...credential, label: '' })
  const query = `mutation LogIn { logIn(input: { email: "ada@example.com", password: "${wrongPassword}" }) { session { accessToken } } }`
  await ask('POST', '/graphql', undefined, { query, operationName: 'LogIn' })
  await ask('POST', '/graphql', undefined, { query: `${query} }` })
  await ask('GET', `/api/v1/billing/balance?key=${key}`, key)
  const chat = { model: 'vendor_a/atlas', messages: [{ role: 'user', content: prompt }] }
  await ask('POST', '/v1/chat/completions', key, chat)
  await ask('POST', '/v1/chat/completions', key, { ...chat, stream: true })
  await ask('POST', '/v1/chat/completions', key, `{"api_key": "${byokSecret}", `)
  await ask('GET', `/v1/models?key=${key}`, `${key}x`)
  await ask('PUT', `/api/v1/byok/${id}`, jwt, { always_use: true })
  await ask('POST', '/v1/chat/completions', key, chat)
  expect(vendor.calls.map(call => call.key)).toEqual([byokSecret, byokSecret, byokSecret])
  await system.context.sql`alter table users rename column name to gone`
  await ask('POST', '/api/v1/auth/sign-up', undefined, { ...person, email: 'bob@example.com' })
  await system.context.sql`alter table provider_credentials rename column label to gone`
  await ask('POST', '/api/v1/byok', jwt, credential)
  expect(sent.map(({ status }) => status)).toEqual([
    201, 401, 200, 201, 201, 422, 200, 200, 200, 200, 200, 400, 401, 200, 502, 500, 500,
  ])

  control.tell('SIGTERM')
  await control.ended
  await ask('GET', '/api/v1/models')
  expect(sent.at(-1)?.status).toBe(502)
  edge.tell('SIGTERM')
  await edge.ended
  const lines = [...edge.logLines(), ...control.logLines()]
  for (const { id: requestId, ...request } of sent) {
    const told = lines.filter(line => line.requestId === requestId && line.status !== undefined)
    expect(told, request.path).toHaveLength(1)
    expect(told[0]).toMatchObject({ ...request, process: expect.any(String) })
  }
  expect(lines.filter(line => line.status !== undefined)).toHaveLength(sent.length)
  const [publicId] = key.match(/(?<=^sk-rb-)\w{12}/)
  const caller = { accountId, publicId, clientAddress: '127.0.0.1', durationMs: expect.any(Number) }
  const counts = { costNanos: expect.stringMatching(/^\d+$/), promptTokens: expect.any(Number) }
  expect(lineOf(lines, sent[9])).toMatchObject({
    ...caller,
    ...counts,
    model: 'vendor_a/atlas',
    streamed: false,
  })
  expect(lineOf(lines, sent[10])).toMatchObject({ ...caller, ...counts, streamed: true })
  expect(lineOf(lines, sent[11])).toMatchObject({ ...caller, error: 'invalid_json' })
  expect(lineOf(lines, sent[14])).toMatchObject({
    error: 'upstream_auth',
    internal: 'auth 401: no such key: ***',
  })
  expect(edge.logLines().filter(({ level }) => Number(level) > 30)).toEqual([])
  expect(lineOf(lines, sent[3])).toMatchObject({ accountId, caller: 'session', address: '127.0.0.1' })
  expect(lineOf(lines, sent[8])).toMatchObject({ accountId, caller: 'key', address: '127.0.0.1' })
  expect(lineOf(lines, sent[5])).toMatchObject({ error: 'validation_failed' })

  const said = edge.words() + control.words()
  const secrets = { key, jwt, password, wrongPassword, byokSecret, prompt, refresh: signedUp.refresh_token }
  const told = Object.entries(secrets).filter(([, secret]) => said.includes(secret))
  expect(told).toEqual([])
  expect(said).not.toMatch(/argon2|sim-platform-key/)
}, 180_000)

function lineOf(lines: LogLine[], sent: { id: string } | undefined): LogLine | undefined {
  return lines.find(line => line.requestId === sent?.id && line.status !== undefined)
}
