import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator
let client: Anthropic

beforeAll(async () => {
  simulator = await startSimulator()
  client = new Anthropic({ baseURL: `${simulator.url}/anthropic`, apiKey: 'sim-platform-key', maxRetries: 0 })
})
afterAll(() => simulator.close())

function paramsOf(fault: string): Anthropic.MessageCreateParamsNonStreaming {
  const content = `Say 10 words [[fault: ${fault}]]`
  return { model: 'lyric-5', max_tokens: 100, messages: [{ role: 'user', content }] }
}

const create = (fault: string) => client.messages.create(paramsOf(fault))

/** What of a stream arrived: its events, and the error that ended it, if one did. */
async function watch(fault: string) {
  const events: Anthropic.RawMessageStreamEvent[] = []
  try {
    const stream = await client.messages.create({ ...paramsOf(fault), stream: true })
    for await (const event of stream) events.push(event)
    return { types: events.map(event => event.type), error: undefined }
  } catch (error) {
    return { types: events.map(event => event.type), error }
  }
}

describe('before the first byte', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('%i is a %s', async (status, type) => {
    const error = { type: 'error', error: { type } }
    await expect(create(String(status))).rejects.toMatchObject({ status, error })
    expect((await watch(String(status))).error).toMatchObject({ status, error })
  })

  it('429 says when to come back', async () => {
    const error: unknown = await create('429;ms=3000').catch(thrown => thrown)
    expect(error instanceof Anthropic.APIError && error.headers?.get('retry-after')).toBe('3')
  })

  it('a prompt may be too long, a purse empty', async () => {
    await expect(create('too-long')).rejects.toMatchObject({ status: 400, message: /prompt is too long/ })
    await expect(create('quota')).rejects.toMatchObject({ status: 402 })
  })
})

describe('under status 200', () => {
  it('an error stands in place of the answer', async () => {
    expect(await create('error-frame')).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } })
    const { types, error } = await watch('error-frame;n=0')
    expect(types).toEqual([])
    expect(error).toMatchObject({ error: { error: { type: 'overloaded_error' } } })
  })

  it('an error comes in the middle of a stream', async () => {
    const { types, error } = await watch('error-frame;n=5')
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
    ])
    expect(error).toBeInstanceOf(Anthropic.APIError)
  })

  it('the model refuses, and says why', async () => {
    expect(await create('refusal')).toMatchObject({
      content: [],
      stop_reason: 'refusal',
      stop_details: { category: 'cyber', explanation: expect.any(String) },
    })
    expect((await watch('refusal')).types).toEqual(['message_start', 'message_delta', 'message_stop'])
  })

  it('a stream ends early', async () => {
    expect((await watch('truncate;n=4')).types).not.toContain('message_stop')
    expect((await watch('cut;n=4')).error).toBeDefined()
  })

  it('nothing is said, and nothing counted', async () => {
    expect(await create('empty')).toMatchObject({ content: [], stop_reason: 'end_turn' })
    expect(await create('no-usage')).not.toHaveProperty('usage')
  })
})
