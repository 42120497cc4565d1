import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterEach(() => simulator.reset())
afterAll(() => simulator.close())

async function call(
  method: string,
  path: string,
  { body, headers }: { body?: unknown; headers?: object } = {},
) {
  const address = path.startsWith('http') ? path : `${simulator.url}${path}`
  const response = await fetch(address, {
    method,
    headers: { authorization: 'Bearer sim-key', 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

describe('the queue of requests', () => {
  const headers = { authorization: 'Key sim-key' }
  const submit = (input: object, more: object = {}) =>
    call('POST', '/queue/studio/reel-3', { body: input, headers: { ...headers, ...more } })

  it('takes a request, tells its state apart from its result, and links to both', async () => {
    simulator.change({ generationMs: 80 })
    const { status, body } = await submit({ prompt: 'A lighthouse', duration: '5' })
    expect(status).toBe(200)
    expect(body.response_url).toBe(`${simulator.url}/queue/studio/reel-3/requests/${body.request_id}`)
    expect(await call('GET', body.status_url, { headers })).toMatchObject({ status: 202 })
    expect(await call('GET', body.response_url, { headers })).toMatchObject({ status: 400 })
    await expect
      .poll(async () => (await call('GET', body.status_url, { headers })).body.status)
      .toBe('COMPLETED')
    const result = await call('GET', body.response_url, { headers })
    expect(result.body.video.url).toMatch(/\/files\/[\w-]+\.mp4$/)
    expect(await call('PUT', body.cancel_url, { headers })).toEqual({
      status: 400,
      body: { status: 'ALREADY_COMPLETED' },
    })
  })

  it('honours an idempotency key, for each caller apart', async () => {
    const key = { 'idempotency-key': 'k' }
    const first = await submit({ prompt: 'x' }, key)
    expect((await submit({ prompt: 'x' }, key)).body.request_id).toBe(first.body.request_id)
    const other = await submit({ prompt: 'x' }, { ...key, authorization: 'Key sim-other' })
    expect(other.body.request_id).not.toBe(first.body.request_id)
  })

  it('refuses fields that it does not know, other keys, and says why a request failed', async () => {
    expect(await submit({ prompt: 'x', fps: 24 })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'fps'], msg: 'Extra inputs are not permitted' }] },
    })
    expect(await submit({ prompt: 'x' }, { authorization: 'Bearer sim-key' })).toMatchObject({ status: 401 })
    const { body } = await submit({ prompt: 'x [[fault: refusal]]' })
    expect(await call('GET', body.response_url, { headers })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'content_policy_violation' }] },
    })
  })
})

describe('the queue of predictions', () => {
  const create = (input: object, model = 'flipbook-turbo') =>
    call('POST', `/predictions/v1/models/${model}/predictions`, { body: { input } })

  it('creates a prediction of an input, and cancels it', async () => {
    simulator.change({ generationMs: 60_000 })
    const { status, body } = await create({ prompt: 'A lighthouse' })
    expect([status, body.status, body.output]).toEqual([201, 'starting', null])
    expect(await call('POST', body.urls.cancel)).toMatchObject({ status: 200, body: { status: 'canceled' } })
    expect(await call('POST', body.urls.cancel)).toMatchObject({ status: 422 })
  })

  it('gives one address of a video, and a list of images', async () => {
    expect((await create({ prompt: 'x' })).body.output).toMatch(/\.mp4$/)
    const images = (await create({ prompt: 'x', image: 'https://example.com/a.png', scale: 2 }, 'lens-1'))
      .body
    expect(images.output).toEqual([expect.stringMatching(/\.png$/)])
  })

  it('refuses what is no input', async () => {
    const post = (body: unknown) => call('POST', '/predictions/v1/models/a/predictions', { body })
    expect(await post({ prompt: 'x' })).toMatchObject({ status: 422 })
    expect(await post({ input: { prompt: 'x' }, priority: 1 })).toMatchObject({ status: 422 })
    expect(await post({ input: { prompt: 'x', image: 'a.png' } })).toMatchObject({ status: 422 })
  })
})

describe('the queue of tasks', () => {
  const submit = (body: object) => call('POST', '/tasks/v1/video_generation', { body })

  it('takes a task, tells its progress, and gives a file by its id', async () => {
    simulator.change({ generationMs: 80 })
    const { task_id } = (await submit({ model: 'ensemble-2', prompt: 'x', duration: 5 })).body
    const query = () => call('GET', `/tasks/v1/query/video_generation?task_id=${task_id}`)
    expect((await query()).body.status).toMatch(/Queueing|Processing/)
    await expect.poll(async () => (await query()).body.status).toBe('Success')
    const { file_id, progress } = (await query()).body
    expect(progress).toBe(100)
    const { file } = (await call('GET', `/tasks/v1/files/retrieve?file_id=${file_id}`)).body
    expect((await fetch(file.download_url)).headers.get('content-type')).toBe('video/mp4')
  })

  it('answers errors with 200', async () => {
    const codeOf = async (body: object) => {
      const answer = await submit(body)
      expect(answer.status).toBe(200)
      return answer.body.base_resp.status_code
    }
    expect(await codeOf({ prompt: 'x' })).toBe(2013)
    expect(await codeOf({ model: 'ensemble-2', prompt: 'x', fps: 24 })).toBe(2013)
    expect(await codeOf({ model: 'ensemble-2', prompt: 'x [[fault: 429]]' })).toBe(1002)
    expect(await codeOf({ model: 'ensemble-2', prompt: 'x [[fault: quota]]' })).toBe(1008)
  })
})

describe('files', () => {
  const fileOf = async (fault: string) => {
    const body = { input: { prompt: `x [[fault: ${fault}]]` } }
    return (await call('POST', '/predictions/v1/models/flipbook/predictions', { body })).body.output
  }

  it('are refused, cut or large on request, and then as they are', async () => {
    const refused = await fileOf('file;n=2;status=503')
    expect((await fetch(refused)).status).toBe(503)
    expect((await fetch(refused)).status).toBe(503)
    expect((await fetch(refused)).status).toBe(200)
    const cut = await fileOf('file-cut')
    await expect(fetch(cut).then(response => response.arrayBuffer())).rejects.toThrow()
    expect((await (await fetch(cut)).arrayBuffer()).byteLength).toBeGreaterThan(500)
    const large = await fetch(await fileOf('large;n=3000000'))
    expect((await large.arrayBuffer()).byteLength).toBe(Number(large.headers.get('content-length')))
    expect(Number(large.headers.get('content-length'))).toBeGreaterThan(3_000_000)
  })
})
