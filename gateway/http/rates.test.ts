import { once } from 'node:events'
import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { aControlPlane, type ControlPlane, type Person } from '../../test/harness/a-control-plane.ts'
import { anApiKey } from '../../test/harness/an-account.ts'
import { forThisTest } from '../../test/harness/per-file.ts'

/** Five calls per account and nine per address. The client's address comes from the header, as behind a proxy. */
async function aBusyPlane(env: Record<string, string> = {}): Promise<ControlPlane> {
  const control = forThisTest(
    await aControlPlane({
      ALLOWANCES: 'management_calls=5/5',
      CALLS_PER_ADDRESS: '9',
      TRUSTED_PROXIES: '127.0.0.1/32',
      ...env,
    }),
  )
  await vi.waitUntil(() => control.context.redis.status === 'ready' || env.REDIS_URL)
  return control
}

/** A control plane, and every statement that it sends. */
async function aWatchedPlane(env: Record<string, string>) {
  const statements: string[] = []
  const onStatement = (statement: string) => void statements.push(statement)
  return { control: forThisTest(await aControlPlane(env, { onStatement })), statements }
}

let addresses = 0
const anAddress = () => `198.51.100.${++addresses}`
const from = (address: string) => ({ 'x-forwarded-for': address })
const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status

async function aPersonAt(
  control: ControlPlane,
  address: string,
): Promise<Pick<Person, 'accountId' | 'token'>> {
  const email = `at-${address}@example.com`
  const { body } = await control.rest('POST', '/auth/sign-up', {
    body: { email, password: 'correct horse' },
    headers: from(address),
  })
  return { accountId: body.account.id, token: body.access_token }
}

test.each([
  ['with Redis', {}],
  ['without', { REDIS_URL: 'redis://127.0.0.1:1' }],
])(
  'all keys and sessions of an account share its allowance of management calls, %s',
  async (_, env: Record<string, string>) => {
    const control = await aBusyPlane(env)
    const { token, accountId } = await aPersonAt(control, anAddress())
    const { text: key } = await anApiKey(control.context, { accountId })
    const calls = [
      () => control.rest('GET', '/me', { token, headers: from(anAddress()) }),
      () => control.graph('{ me { id } }', { token: key, headers: from(anAddress()) }),
    ]
    for (let turn = 0; turn < 5; turn++) expect(await statusOf(calls[turn % 2]!())).toBe(200)
    const refused = await control.rest('GET', '/me', { token, headers: from(anAddress()) })
    const param = 'management_calls'
    expect([refused.status, refused.body.error]).toMatchObject([429, { code: 'allowance_exceeded', param }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10)
    const inGraph = await fetch(`${control.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...from(anAddress()) },
      body: '{"query": "{ me { id } }"}',
    })
    const problem = { problem: 'allowance_exceeded', param }
    expect([inGraph.status, (await inGraph.json()).errors[0].extensions]).toMatchObject([429, problem])
    expect(Number(inGraph.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await aPersonAt(control, anAddress())
    const theirs = control.rest('GET', '/me', { token: other.token, headers: from(anAddress()) })
    expect(await statusOf(theirs)).toBe(200)
  },
)

test('calls per address are limited for all callers; above the limit, credentials are not checked', async () => {
  const { control, statements } = await aWatchedPlane({
    CALLS_PER_ADDRESS: '9',
    TRUSTED_PROXIES: '127.0.0.1/32',
  })
  const address = anAddress()
  const { token } = await aPersonAt(control, address)
  for (let turn = 0; turn < 8; turn++) {
    const credential = turn % 2 === 0 ? token : `sk-nonsense-${turn}`
    const asked = control.rest('GET', '/me', { token: credential, headers: from(address) })
    expect(await statusOf(asked)).not.toBe(429)
  }
  statements.length = 0
  for (let turn = 0; turn < 20; turn++) {
    expect(await statusOf(control.rest('GET', '/me', { token, headers: from(address) }))).toBe(429)
    expect(await statusOf(control.graph('{ me { id } }', { token, headers: from(address) }))).toBe(429)
  }
  expect(statements).toEqual([])
  expect(await statusOf(control.rest('GET', '/me', { token, headers: from(anAddress()) }))).toBe(200)
})

test('a credential of an account without allowance is not checked again for one second', async () => {
  const { control, statements } = await aWatchedPlane({ ALLOWANCES: 'management_calls=5/5' })
  const { token } = await control.aPerson()
  const ask = () => statusOf(control.rest('GET', '/me', { token }))
  for (let turn = 0; turn < 6; turn++) await ask()
  statements.length = 0
  for (let turn = 0; turn < 5; turn++) expect(await ask()).toBe(429)
  expect(statements).toEqual([])
})

test('several processes share the counts', async () => {
  const control = await aBusyPlane()
  const { startControl } = await import('../start-control.ts')
  const second = forThisTest(await startControl(control.config))
  const { token } = await aPersonAt(control, anAddress())
  const headers = () => ({ authorization: `Bearer ${token}`, ...from(anAddress()) })
  const ask = (url: string) => statusOf(fetch(`${url}/api/v1/me`, { headers: headers() }))
  const statuses: number[] = []
  for (let turn = 0; turn < 8; turn++) statuses.push(await ask(turn % 2 === 0 ? control.url : second.url))
  expect(statuses).toEqual([...Array(5).fill(200), ...Array(3).fill(429)])
})

test('operations over WebSocket count; a refused one gets an error, and the connection stays open', async () => {
  const control = await aBusyPlane({ CALLS_PER_ADDRESS: '1000' })
  const { token } = await aPersonAt(control, anAddress())
  const client = createClient({
    url: `${control.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  onTestFinished(() => void client.dispose())
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const error = (errors: unknown) =>
        Array.isArray(errors) ? resolve(errors[0].extensions.problem) : reject(errors)
      client.subscribe({ query: '{ me { id } }' }, { next: () => resolve('answered'), error, complete() {} })
    })
  const answers: string[] = []
  for (let turn = 0; turn < 7; turn++) answers.push(await ask())
  expect(answers).toEqual([...Array(5).fill('answered'), 'allowance_exceeded', 'allowance_exceeded'])
})

test('the networks of one /48 share the limit of four networks', async () => {
  const control = await aBusyPlane({ CALLS_PER_ADDRESS: '2' })
  const ask = (network: number, site: string) =>
    statusOf(fetch(`${control.url}/api/v1/models`, { headers: from(`2001:db8:${site}:${network}::1`) }))
  const statuses: number[] = []
  for (let network = 0; network < 10; network++) statuses.push(await ask(network, 'a'))
  expect(statuses).toEqual([...Array(8).fill(401), 429, 429])
  expect(await ask(0, 'b')).toBe(401)
})

test('WebSocket messages are limited per address; too many close the connection', async () => {
  const control = await aBusyPlane({ CALLS_PER_ADDRESS: '5', ALLOWANCES: 'management_calls=1000/1000' })
  const connect = async (address: string) => {
    const socket = new WebSocket(`${control.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: from(address),
    })
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    return socket
  }
  const [one, two, other] = [await connect('2001:db8::1'), await connect('2001:db8::2'), await connect('')]
  const ping = (socket: WebSocket) => {
    const answer = Promise.race([
      once(socket, 'message').then(([text]) => String(text)),
      once(socket, 'close').then(([code]) => code),
    ])
    socket.send('{"type":"ping"}')
    return answer
  }
  for (let turn = 0; turn < 20; turn++) expect(await ping(turn % 2 ? one : two)).toBe('{"type":"pong"}')
  expect(await ping(one)).toBe(4429)
  expect(await ping(two)).toBe(4429)
  expect(await ping(other)).toBe('{"type":"pong"}')
})

test('a WebSocket whose client does not read is closed, so that messages do not accumulate', async () => {
  const control = forThisTest(await aControlPlane())
  const socket = new WebSocket(`${control.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  socket.on('error', () => {}).pause()
  let closed = false
  socket.once('close', () => {
    closed = true
  })
  const ping = JSON.stringify({ type: 'ping', payload: { a: 'x'.repeat(1_000_000) } })
  for (let turn = 0; turn < 40 && socket.readyState === WebSocket.OPEN; turn++) {
    await new Promise<void>(resolve => void socket.send(ping, () => resolve()))
  }
  socket.resume()
  await expect.poll(() => closed).toBe(true)
})

test('connections per address and operations per connection are limited; ended ones do not count', async () => {
  const control = forThisTest(await aControlPlane({ TRUSTED_PROXIES: '127.0.0.1/32' }))
  const openFrom = (clientAddress: string) =>
    new Promise<WebSocket | number>((resolve, reject) => {
      const opening = new WebSocket(`${control.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: from(clientAddress),
      })
      opening.once('open', () => resolve(opening)).once('error', reject)
      opening.once('unexpected-response', (_, answer) => resolve(answer.statusCode ?? 0))
    })
  const address = anAddress()
  const sockets = await Promise.all(Array.from({ length: 500 }, () => openFrom(address)))
  expect(sockets.filter(opened => opened instanceof WebSocket)).toHaveLength(500)
  expect(await openFrom(address)).toBe(429)
  expect(await openFrom(anAddress())).toBeInstanceOf(WebSocket)
  for (const opened of sockets) if (opened instanceof WebSocket) opened.terminate()
  await expect.poll(() => openFrom(address)).toBeInstanceOf(WebSocket)

  const socket = await openFrom(anAddress())
  if (!(socket instanceof WebSocket)) throw new Error(`refused with ${socket}`)
  const problems: unknown[] = []
  let answered = 0
  socket.on('message', data => {
    const { type, payload } = JSON.parse(String(data))
    if (type === 'next') answered += 1
    if (type === 'error') problems.push(payload[0].extensions.problem)
  })
  const { token } = await aPersonAt(control, anAddress())
  // The token is checked when the connection is opened, so the lock that keeps operations running comes after.
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }))
  await once(socket, 'message')
  const holder = await control.context.sql.reserve()
  await holder`begin`
  await holder`set local idle_in_transaction_session_timeout = 0`
  await holder`lock table refresh_tokens in access exclusive mode`
  const payload = { query: '{ me { id } }' }
  for (let id = 1; id <= 103; id++)
    socket.send(JSON.stringify({ type: 'subscribe', id: String(id), payload }))
  await expect.poll(() => problems.filter(problem => problem === 'rate_limit_exceeded')).toHaveLength(3)
  await holder`rollback`
  holder.release()
  await expect.poll(() => answered, { timeout: 10_000 }).toBe(100)
})
