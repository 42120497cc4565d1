import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)
const client = perFile(() => aClient(system))

const exact = '{"code":401,"msg":"You do not have access permissions"}'
const json = 'Content-Type: application/json'
const good = () => `Authorization: Bearer ${client.text}`
const body = JSON.stringify(saying('Hi'))
const sized = (text: string) => `Content-Length: ${text.length}`

const heads: [what: string, lines: () => string[], sent?: string][] = [
  ['a NUL in Authorization', () => [`Authorization: Bearer a\0b`, json, sized(body)], body],
  ['a NUL after a good key', () => [`${good()}\0`, json, sized(body)], body],
  ['a NUL in Content-Type', () => [good(), 'Content-Type: application/json\0', sized(body)], body],
  ['a folded Authorization', () => [`Authorization: Bearer\r\n ${client.text}`, json, sized(body)], body],
  ['one folded after the key', () => [`${good()}\r\n x`, json, sized(body)], body],
  ['a folded Content-Type', () => [good(), 'Content-Type:\r\n application/json', sized(body)], body],
  ['a bare carriage return', () => [`Authorization: Bearer a\rb`, json, sized(body)], body],
  ['a blank before the colon', () => [`Authorization : Bearer ${client.text}`, json, sized(body)], body],
  ['a NUL in its name', () => [`Author\0ization: Bearer ${client.text}`, json, sized(body)], body],
  ['a NUL elsewhere, and no Authorization', () => ['X-A: \0', json, sized(body)], body],
  ['an empty Authorization', () => ['Authorization:', json, sized(body)], body],
  ['an empty Content-Type', () => [good(), 'Content-Type:', sized(body)], body],
  ['no Authorization and an empty body', () => [json, 'Content-Length: 0']],
  ['no Content-Type and an empty body', () => [good(), 'Content-Length: 0']],
  ['no Content-Type and no body', () => [good()]],
  ['two Content-Types', () => [good(), json, 'Content-Type: text/plain', sized(body)], body],
  ['nothing at all', () => []],
]
test.each(heads)(
  'a missing or wrong Authorization or Content-Type is the exact 401: %s',
  async (_, lines, sent = '') => {
    for (const path of ['/v1/chat/completions', '/v1/responses']) {
      const answer = await raw(`POST ${path} HTTP/1.1`, ['Host: x', ...lines()], sent)
      expect(answer.split('\r\n\r\n')[1], path).toBe(exact)
      expect(answer).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/)
      expect(answer.toLowerCase()).toContain('x-request-id: req_')
    }
  },
)

test('what else is no HTTP is a 400 in the shape of every error', async () => {
  for (const lines of [
    ['X-A: \0'],
    ['Content-Length: x'],
    ['Content-Length: 1', 'Content-Length: 2'],
    ['X A: b'],
  ]) {
    const answer = await raw('POST /v1/chat/completions HTTP/1.1', ['Host: x', good(), json, ...lines])
    expect(answer, lines.join()).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
      code: 400,
      error: { code: 'invalid_request' },
    })
  }
  const large = await raw('GET /v1/models HTTP/1.1', ['Host: x', `X-A: ${'a'.repeat(70_000)}`])
  expect(large).toMatch(/^HTTP\/1.1 431 /)
})

test('where files are sent, their types are no wrong ones', async () => {
  const malformed = (path: string, type: string) =>
    raw(`POST ${path} HTTP/1.1`, ['Host: x', good(), `Content-Type: ${type}`, 'X-A: \0'])
  for (const type of ['multipart/form-data; boundary=x', 'application/json'])
    for (const path of ['/v1/uploads', '/v1/images/edits'])
      expect(await malformed(path, type)).toMatch(/^HTTP\/1.1 400 /)
  expect(await malformed('/v1/uploads', 'image/png')).toMatch(/^HTTP\/1.1 400 /)
  expect(await malformed('/v1/uploads', 'text/plain')).toMatch(/^HTTP\/1.1 401 /)
  expect(await malformed('/v1/images/generations', 'multipart/form-data')).toMatch(/^HTTP\/1.1 401 /)
})

test('two Host headers are refused, and none, at the edge and at the control plane', async () => {
  for (const url of [system.edge.url, system.control.url]) {
    for (const [hosts, version, status] of [
      [['Host: x', 'Host: y'], '1.1', 400],
      [['Host: x', 'host: x'], '1.1', 400],
      [[], '1.1', 400],
      [['Host: x'], '1.1', 200],
      [[], '1.0', 200],
    ] as const) {
      const answer = await raw(`GET /healthz HTTP/${version}`, hosts, '', url)
      expect(Number(answer.split(' ')[1]), `${hosts.join()} ${version}`).toBe(status)
    }
  }
  const upgrade = [
    'Host: x',
    'Host: y',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
  ]
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='
  expect(await raw('GET /graphql HTTP/1.1', [...upgrade, key])).toMatch(/^HTTP\/1.1 400 /)
  const told = await raw(
    'POST /v1/chat/completions HTTP/1.1',
    ['Host: x', 'Host: y', good(), json, sized(body)],
    body,
  )
  expect(JSON.parse(told.split('\r\n\r\n')[1]!)).toMatchObject({
    code: 400,
    error: { code: 'invalid_request' },
  })
})

test('no answer is sniffed, also of the control plane', async () => {
  for (const path of [
    '/healthz',
    '/v1/nothing',
    '/api/v1/me',
    '/api/v1/models',
    '/.well-known/jwks.json',
    '/docs',
  ])
    for (const url of [system.edge.url, system.control.url]) {
      const { headers } = await fetch(url + path)
      expect(headers.get('x-content-type-options'), url + path).toBe('nosniff')
    }
})

test('no answer of /v1 is cached or sniffed', async () => {
  const stream = await client.post('/chat/completions', { ...saying('Hi'), stream: true })
  expect(stream.headers.get('cache-control')).toBe('no-store, no-transform')
  await stream.text()
  const answers = [
    stream,
    await client.post('/chat/completions', saying('Hi')),
    await client.post('/chat/completions', '{'),
    await fetch(`${system.baseURL}/models`),
    await fetch(`${system.baseURL}/nothing`),
  ]
  for (const { headers } of answers) {
    expect(headers.get('cache-control')).toMatch(/^no-store\b/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

/** The response to a raw request, read until the connection ends or shortly after the response. */
function raw(line: string, lines: readonly string[], sent = '', url = system.edge.url): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    let answer = ''
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('data', part => {
      answer += part.toString('latin1')
      if (answer.endsWith('}')) socket.end()
    })
    socket.on('close', () => resolve(answer))
    socket.setTimeout(5_000, () => socket.destroy())
    socket.write(`${[line, ...lines].join('\r\n')}\r\n\r\n${sent}`, 'latin1')
  })
}
