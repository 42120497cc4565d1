import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { hostInput } from '../../domain/media/host-input.ts'
import { aClient, clientOf } from '../harness/a-client.ts'
import { anAccount, anApiKey, type TestKey } from '../harness/an-account.ts'
import { theMediaEdge } from '../harness/media/a-media-edge.ts'
import { aDataUri, aFile } from '../harness/media/media-files.ts'

const limitBytes = 200_000
const system = theMediaEdge(
  {
    UPLOAD_LIMIT_BYTES: String(limitBytes),
    ALLOWANCES: 'input_bytes=1000000/1000000,input_files=20/20',
  },
  { bodyTimeoutMs: 600 },
)

let key: TestKey
let client: OpenAI
beforeEach(async () => {
  const { context, baseURL } = system
  const { accountId } = await anAccount(context, { creditNanos: 0n })
  key = await anApiKey(context, { accountId })
  client = new OpenAI({ apiKey: key.text, baseURL, maxRetries: 0 })
})

interface Upload {
  id: string
  object: string
  url: string
  content_type: string
  bytes: number
  created: number
  expires_at: number
}

const large = (bytes: number) => Buffer.concat([aFile('png'), Buffer.alloc(bytes - aFile('png').length)])
const form = (file: Buffer, field = 'file') => {
  const data = new FormData()
  data.append(field, new Blob([new Uint8Array(file)], { type: 'text/html' }), 'kätzchen.html')
  return data
}
const send = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
  fetch(`${system.baseURL}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.text}`, ...headers },
    body,
  })
const sendRaw = (file: Buffer, headers: Record<string, string> = {}) =>
  send(new Uint8Array(file), { 'content-type': 'image/png', ...headers })
const sendJson = (file: Buffer) =>
  send(JSON.stringify({ file: `data:image/png;base64,${file.toString('base64')}` }), {
    'content-type': 'application/json',
  })
const uploadBy = async (text: string): Promise<Upload> =>
  (await sendRaw(aFile('png'), { authorization: `Bearer ${text}` })).json()
const refusal = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; param: string; message: string } }
  return [response.status, error.code, error.param]
}
const rows = async () =>
  (await system.context.sql`select from media_files where account_id = ${key.accountId}`).count

const invalid = (param: string | null) => [400, 'invalid_request', param]

describe('an upload', () => {
  test('in JSON is stored and served', async () => {
    const upload = await client.post<Upload>('/uploads', { body: { file: aDataUri('mp4') } })
    expect(upload).toEqual({
      id: expect.stringMatching(/^upload_[0-9a-f]{32}$/),
      object: 'upload',
      url: expect.stringContaining(`${system.config.mediaUrl}/uploads/`),
      content_type: 'video/mp4',
      bytes: aFile('mp4').length,
      created: expect.closeTo(Date.now() / 1000, -2),
      expires_at: expect.closeTo(Date.now() / 1000 + 14 * 86_400, -2),
    })
    const served = await fetch(upload.url)
    expect(Buffer.from(await served.arrayBuffer()).equals(aFile('mp4'))).toBe(true)
  })

  test("as a form is stored, by fetch and by the SDK, and its type is its content's", async () => {
    const byFetch = await send(form(large(150_000)))
    expect(await byFetch.json()).toMatchObject({ content_type: 'image/png', bytes: 150_000 })
    const bySdk = await client.post<Upload>('/uploads', { body: form(aFile('webp')) })
    expect(bySdk).toMatchObject({ content_type: 'image/webp', bytes: aFile('webp').length })
  })

  test('as the body itself is stored, with its length and without', async () => {
    expect(await (await sendRaw(large(150_000))).json()).toMatchObject({ bytes: 150_000 })
    const chunked = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(large(90_000)))
        await sleep(20)
        controller.enqueue(new Uint8Array(10_000))
        controller.close()
      },
    })
    const response = await fetch(`${system.baseURL}/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.text}`, 'content-type': 'application/octet-stream' },
      body: chunked,
      duplex: 'half',
    } as RequestInit)
    expect(await response.json()).toMatchObject({ bytes: 100_000, content_type: 'image/png' })
  })

  test('by curl, as a form and as a body', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rubicon-curl-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'picture.png')
    await writeFile(path, large(150_000))
    const command = ['-s', `${system.baseURL}/uploads`, '-H', `Authorization: Bearer ${key.text}`]
    const curl = async (...args: string[]) =>
      JSON.parse((await promisify(execFile)('curl', [...command, ...args])).stdout)
    expect(await curl('-F', `file=@${path}`)).toMatchObject({ bytes: 150_000, content_type: 'image/png' })
    expect(await curl('-H', 'Content-Type: image/png', '--data-binary', `@${path}`)).toMatchObject({
      bytes: 150_000,
    })
  })

  test('is an image of a chat of its account, and of no other, under each name of this machine', async () => {
    const rich = await anApiKey(system.context, await anAccount(system.context))
    const [ours, others] = await Promise.all([rich.text, key.text].map(uploadBy))
    const chat = (address: string) =>
      clientOf(system, rich).post('/chat/completions', {
        model: 'vendor_c/prism-flash',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: address } }] }],
      })
    const spellings = (url: string) => [url, url.replace('127.0.0.1', 'localhost')]
    for (const url of spellings(ours!.url)) expect((await chat(url)).status).toBe(200)
    for (const url of [...spellings(others!.url), others!.url.replace('uploads', '%75ploads')])
      expect(await refusal(await chat(url))).toEqual(invalid('messages[0].content[0].image_url.url'))
  })
})

test.each(['raw', 'form', 'json'] as const)(
  'a body (%s) is read no faster than the account may send',
  async way => {
    const { context } = system
    await context.sql`
    update accounts set allowances = ${context.sql.json({ body_bytes: 100_000 })} where id = ${key.accountId}`
    const file = large(150_000)
    const begunAt = performance.now()
    const ways = { raw: sendRaw, form: (of: Buffer) => send(form(of)), json: sendJson }
    expect((await ways[way](file)).status).toBe(200)
    expect(performance.now() - begunAt).toBeGreaterThan(800)
  },
)

test('an upload as a document of a chat must be of its account, on each protocol', async () => {
  const { context } = system
  const rich = await anApiKey(context, await anAccount(context))
  const [ours, others] = await Promise.all([rich.text, key.text].map(uploadBy))
  const ask = (path: string, body: object) =>
    clientOf(system, rich).post(path, { model: 'vendor_a/atlas', max_tokens: 50, ...body })
  const chat = (file: object) =>
    ask('/chat/completions', { messages: [{ role: 'user', content: [{ type: 'file', file }] }] })
  const respond = (file: object) =>
    ask('/responses', {
      max_tokens: undefined,
      input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }],
    })
  const message = (url: string) =>
    ask('/messages', {
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url } }] }],
    })
  for (const response of [
    await chat({ file_url: ours!.url }),
    await respond({ file_url: ours!.url }),
    await message(ours!.url),
  ])
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  for (const url of [
    others!.url,
    others!.url.replace('127.0.0.1', 'localhost'),
    others!.url.replace('uploads', '%75ploads'),
    others!.url.replace('/uploads', '//uploads'),
    ` ${others!.url}`,
  ]) {
    expect(await refusal(await chat({ file_url: url }))).toEqual(
      invalid('messages[0].content[0].file.file_url'),
    )
    expect(await refusal(await chat({ file_data: url }))).toEqual(
      invalid('messages[0].content[0].file.file_data'),
    )
    expect(await refusal(await respond({ file_url: url }))).toEqual(invalid('input[0].content[0].file_url'))
    expect(await refusal(await message(url))).toEqual(invalid('messages[0].content[0].source'))
  }
})

test.each(['https://example.com/a.mp3', ' HTTP://127.0.0.1/', '\\u0000ftp:x'])(
  'a sound of a chat is inline, not the address %j',
  async data => {
    const { post } = await aClient(system)
    const ask = (path: string, body: object) => post(path, { model: 'vendor_a/atlas', ...body })
    const content = (type: string) => [
      { role: 'user', content: [{ type, input_audio: { data, format: 'mp3' } }] },
    ]
    expect(await refusal(await ask('/chat/completions', { messages: content('input_audio') }))).toEqual(
      invalid('messages[0].content[0].input_audio.data'),
    )
    expect(await refusal(await ask('/responses', { input: content('input_audio') }))).toEqual(
      invalid('input[0].content[0].input_audio.data'),
    )
  },
)

describe('what is refused', () => {
  const tooLarge = [413, 'body_too_large', 'file']

  test('too much, in each way', async () => {
    const file = large(limitBytes + 1)
    expect(await refusal(await sendRaw(file))).toEqual(tooLarge)
    expect(await refusal(await send(form(file)))).toEqual(tooLarge)
    expect(await refusal(await sendJson(file))).toEqual(tooLarge)
    expect(await refusal(await sendJson(large(4 * limitBytes)))).toEqual(tooLarge)
    expect(await rows()).toBe(0)
    expect((await sendRaw(large(limitBytes))).status).toBe(200)
  })

  test.each([
    ['a page', Buffer.from('<html><script>alert(1)</script></html>')],
    ['a sound', aFile('wav')],
    ['nothing', Buffer.alloc(0)],
  ])('%s, whatever it is called, in each way', async (_, file) => {
    for (const response of [await sendRaw(file), await send(form(file)), await sendJson(file)])
      expect(await refusal(response)).toEqual([400, 'invalid_request', 'file'])
    expect(await rows()).toBe(0)
  })

  test.each([
    ['{}', [400, 'missing_parameter', 'file']],
    ['[]', [400, 'invalid_request', null]],
    ['{"file": 7}', [400, 'invalid_request', 'file']],
    ['{"file": "https://example.com/a.png"}', [400, 'invalid_request', 'file']],
    ['{"file": "data:image/png;base64,", "x": 1}', [400, 'unsupported_parameter', 'x']],
    ['{"file"', [400, 'invalid_json', null]],
  ])('JSON %s', async (json, expected) => {
    expect(await refusal(await send(json, { 'content-type': 'application/json' }))).toEqual(expected)
  })

  test('forms that are none, and fields that an upload has not', async () => {
    const type = { 'content-type': 'multipart/form-data; boundary=x' }
    expect(await refusal(await send('--x\r\nnonsense', type))).toEqual(invalid(null))
    expect(await refusal(await send('--x--\r\n', type))).toEqual([400, 'missing_parameter', 'file'])
    const unknown = await send(form(aFile('png'), 'picture'))
    expect(await refusal(unknown)).toEqual([400, 'unsupported_parameter', 'picture'])
    const cut = Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n')
    expect(await refusal(await send(new Uint8Array(Buffer.concat([cut, aFile('png')])), type))).toEqual(
      invalid(null),
    )
    const many = new FormData()
    for (let count = 0; count < 30; count++) many.append(`field${count}`, 'x')
    expect(await refusal(await send(many))).toEqual(invalid(null))
    const late = form(aFile('png'))
    late.append('picture', new Blob(['x']), 'x')
    expect((await send(late)).status).toBe(400)
    expect(await rows()).toBe(0)
  })

  test('more than the account may have in a day; a refused upload does not count', async () => {
    for (let count = 0; count < 5; count++) expect((await sendRaw(large(190_000))).status).toBe(200)
    const refused = await sendRaw(large(190_000))
    expect(refused.headers.get('retry-after')).toMatch(/^8\d{4}$/)
    expect(await refusal(refused)).toEqual([429, 'allowance_exceeded', 'input_bytes'])
    expect((await sendRaw(large(40_000))).status).toBe(200)
    const input = (bytes: number) =>
      hostInput(system.media, {
        address: `data:image/png;base64,${large(bytes).toString('base64')}`,
        accountId: key.accountId,
        param: 'image_urls[0]',
        accepts: 'image',
      })
    await expect(input(20_000)).rejects.toMatchObject({ errorName: 'allowance_exceeded' })
    expect(await input(5_000)).toContain('/inputs/')
    expect((await send(form(large(10_000)))).status).toBe(429)
  })

  test('more files than it may have, even if each repeats the first and is deleted', async () => {
    const statuses = []
    for (let count = 0; count < 25; count++)
      statuses.push((await sendRaw(aFile('png'), { 'idempotency-key': 'repeated' })).status)
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(5).fill(429)])
    expect(await rows()).toBe(1)
  })

  test('more files than it may have, also at the same time', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 25 }, async () => (await sendRaw(aFile('png'))).status),
    )
    expect(statuses.filter(status => status === 200)).toHaveLength(20)
    expect(statuses.filter(status => status === 429)).toHaveLength(5)
  })

  test('a client that breaks off, or sends too slowly, leaves nothing', async () => {
    const { port } = new URL(system.edge.url)
    const begin = () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        `POST /v1/uploads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key.text}\r\ncontent-type: image/png\r\ncontent-length: 100000\r\n\r\n`,
      )
      socket.write(aFile('png'))
      return socket
    }
    const broken = begin()
    await sleep(200)
    broken.destroy()
    const slow = begin()
    const answer = await new Promise<string>(resolve => slow.once('data', data => resolve(data.toString())))
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    slow.destroy()
    await expect.poll(rows).toBe(0)
  })
})

describe('under an Idempotency-Key', () => {
  test('the same content is one upload, in the same way or another; other content is a conflict', async () => {
    const headers = { 'idempotency-key': 'one' }
    const first = (await (await send(form(aFile('png')), headers)).json()) as Upload
    const again = await send(form(aFile('png')), headers)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.json()).toEqual(first)
    expect(await (await sendRaw(aFile('png'), headers)).json()).toEqual(first)
    expect((await sendRaw(aFile('gif'), headers)).status).toBe(409)
    expect(await rows()).toBe(1)
    expect((await fetch(first.url)).status).toBe(200)
  })

  test('tries at the same time are one upload', async () => {
    const tries = await Promise.all(
      Array.from({ length: 6 }, async () =>
        (await sendRaw(aFile('png'), { 'idempotency-key': 'two' })).json(),
      ),
    )
    expect(new Set(tries.map(upload => (upload as Upload).url)).size).toBe(1)
    await expect.poll(rows).toBe(1)
  })
})
