import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { systemIds } from '../../platform/ids.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem } from '../payments/a-payment-system.ts'
import { type Described, described, document, faultsOf, type Json, resolve } from './the-document.ts'
import { keeps, linkIds, order, placesOf, prepare, world } from './the-examples.ts'

const operator = mintOperatorKey(systemIds)

// no worker runs: nothing is sent
const system = perFile(() =>
  aPaymentSystem({ SMTP_URL: 'smtp://127.0.0.1:9', OPERATOR_KEYS: `ada=${operator.digest}` }),
)
const places = perFile(() => placesOf(system))

/**
 * Operations that other tests call: operations that answer a file, which a worker must have made
 * (`test/tasks/openai-shape.test.ts`), the end of a membership, which the only owner cannot end
 * (`test/members/members.test.ts`), and the end of a sign-in, which needs an issuer (`test/single-sign-on`).
 */
const tested = new Set([
  ...['createSpeech', 'downloadVideo', 'leaveAccount'],
  ...['completeSignIn', 'linkIdentity', 'unlinkIdentity'],
])

function expectShape(value: unknown, pointer: string[], name: string): void {
  expect(faultsOf(value, pointer), name).toEqual([])
}

async function send({ method, path, operation }: Described, body: Json, change: Json): Promise<Response> {
  const query = new URLSearchParams()
  const isManagement = path.startsWith('/api/')
  let address = path
  for (const parameter of operation.parameters) {
    const value = change[parameter.name] ?? parameter.example
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, encodeURIComponent(value))
    else if (parameter.in === 'query' && value !== undefined)
      for (const one of [value].flat()) query.append(parameter.name, one)
  }
  const credentials: Json = { operatorKey: operator.key, session: world.session, apiKey: world.apiKey }
  const [scheme] = operation.security.flatMap(Object.keys)
  const credential = credentials[scheme]
  return fetch(`${system.edge.url}${address}?${query}`, {
    method: method.toUpperCase(),
    headers: {
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...((body || !isManagement) && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

const inOrder = described
  .filter(({ operation }) => !tested.has(operation.operationId))
  .toSorted((one, other) => order(one.operation.operationId) - order(other.operation.operationId))

test.for(inOrder)(
  'the example of $operation.operationId is answered, and the answer has the shape that is described',
  async each => {
    const { path, operation } = each
    const name = operation.operationId
    const { body: changed, ...change } = places[name]?.() ?? {}
    const media = operation.requestBody?.content['application/json']
    const body = changed ?? media?.example
    if (media)
      expectShape(
        body,
        ['paths', path, each.method, 'requestBody', 'content', 'application/json', 'schema'],
        name,
      )
    if (/^(cancel|deleteVideo$)/.test(name)) world.taskId = await aPendingTask()
    const answer = await send(each, body, places[name]?.() ?? change)
    const text = await answer.text()
    const expected = Object.keys(operation.responses).find(status => status.startsWith('2')) ?? ''
    expect([answer.status, text.slice(0, 500)], name).toEqual([Number(expected), expect.any(String)])
    const [type = '', shape] = Object.entries(operation.responses[expected].content ?? {})[0] ?? []
    if (shape === undefined) expect(text, name).toBe('')
    else if (type !== 'application/json') expect(answer.headers.get('content-type'), name).toContain(type)
    else {
      const pointer = ['paths', path, each.method, 'responses', expected, 'content', type, 'schema']
      expectShape(JSON.parse(text), pointer, name)
      keeps[name]?.(JSON.parse(text))
    }
    if (name === 'signUp') await prepare(system, JSON.parse(text).account.id)
    if (name === 'closeOwnAccount')
      await system.context.sql`
        update mailed_links set id = ${linkIds.reopen_account} where purpose = 'reopen_account' and email = 'ada@example.com'`
    if (name === 'createChatCompletion') world.requestId = answer.headers.get('x-request-id') ?? ''
  },
)

async function aPendingTask(): Promise<string> {
  const submit = described.find(({ operation }) => operation.operationId === 'submitVideo')!
  const answer = await send(submit, submit.operation.requestBody.content['application/json'].example, {})
  return (await answer.json()).id
}

test('each event of a stream has the shape that is described', async () => {
  const streams = described.filter(
    ({ operation }) => operation.responses['200']?.content?.['text/event-stream'],
  )
  expect(streams).toHaveLength(3)
  for (const each of streams) {
    const example = each.operation.requestBody.content['application/json'].example
    const answer = await send(each, { ...example, stream: true }, {})
    const lines = (await answer.text()).split('\n').filter(line => line.startsWith('data: '))
    expect(lines.length).toBeGreaterThan(2)
    const pointer = [
      'paths',
      each.path,
      each.method,
      'responses',
      '200',
      'content',
      'text/event-stream',
      'schema',
    ]
    for (const line of lines.filter(other => other !== 'data: [DONE]'))
      expectShape(JSON.parse(line.slice(6)), pointer, line)
  }
})

test('errors have the shape that is described', async () => {
  const answers = await Promise.all([
    fetch(`${system.edge.url}/v1/chat/completions`, { method: 'POST' }),
    fetch(`${system.edge.url}/api/v1/me`),
    fetch(`${system.edge.url}/api/v1/usage?group_by=week`, {
      headers: { authorization: `Bearer ${world.apiKey}` },
    }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 422])
  for (const answer of answers)
    expectShape(await answer.json(), ['components', 'schemas', 'Problem'], answer.url)
})

test('forms with the fields that are described are answered', async () => {
  const forms = described.filter(({ operation }) => operation.requestBody?.content['multipart/form-data'])
  expect(forms.map(({ operation }) => operation.operationId)).toEqual([
    'editImage',
    'createUpload',
    'createVideo',
  ])
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const more: Json = {
    createVideo: { model: 'vendor_i/reel-motion', seconds: '5', size: '1280x720' },
    createUpload: { file: undefined },
    editImage: { image_urls: undefined },
  }
  for (const { path, operation } of forms) {
    const { content } = operation.requestBody
    const { properties } = resolve(content['multipart/form-data'].schema)
    const fields = { ...content['application/json'].example, ...more[operation.operationId] }
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      expect(Object.keys(properties)).toContain(name)
      if (value !== undefined) form.set(name, String(value))
    }
    const file = Object.keys(properties).find(name => properties[name].contentMediaType) ?? ''
    form.set(file, new Blob([Buffer.from(png, 'base64')], { type: 'image/png' }), 'one.png')
    const authorization = `Bearer ${world.apiKey}`
    const answer = await fetch(`${system.edge.url}${path}`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    })
    const text = await answer.text()
    expect([answer.status, text], operation.operationId).toEqual([200, expect.any(String)])
  }
})

test('a 406 of speech is described', async () => {
  const answer = await fetch(`${system.edge.url}/v1/audio/speech`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.apiKey}`,
      'content-type': 'application/json',
      accept: 'audio/mpeg',
    },
    body: JSON.stringify({ model: 'vendor_n/herald', input: 'Good morning.' }),
  })
  expect(answer.status).toBe(406)
  const submit = described.find(({ operation }) => operation.operationId === 'submitSpeech')
  expectShape(
    await answer.json(),
    submit?.operation.responses[406].$ref.slice(2).split('/').concat('content', 'application/json', 'schema'),
    'submitSpeech',
  )
})

test('document and page are served without a credential, and the page asks nobody but us', async () => {
  const { url } = system.edge
  const served = await fetch(`${url}/openapi.json`)
  expect(served.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await served.json()).toEqual(document)
  const page = await fetch(`${url}/docs`)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  const html = await page.text()
  const addresses = [...html.matchAll(/(?:src|href)="((?!data:)[^"]+)"/g)].map(([, address = '']) => address)
  expect(addresses).toContain('/docs/docs.js')
  for (const address of addresses) {
    expect(address).toMatch(/^\/\w/)
    expect((await fetch(`${url}${address}`)).status, address).toBe(200)
  }
  const scripts = await readdir(new URL('../../gateway/openapi/page', import.meta.url))
  for (const name of scripts.filter(file => file.endsWith('.js')))
    expect((await fetch(`${url}/docs/${name}`)).headers.get('content-type')).toContain('javascript')
  expect((await fetch(`${url}/docs`, { method: 'POST' })).status).toBe(405)
  expect((await fetch(`${url}/docs/other`)).status).toBe(404)
})
