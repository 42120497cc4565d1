import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

async function generate(fault: string, { isStreamed = false } = {}) {
  const method = isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const response = await fetch(`${simulator.url}/gemini/v1beta/models/prism-3-pro:${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': 'sim-k' },
    body: JSON.stringify({
      contents: [{ role: 'user', parts: [{ text: `say 9 words [[fault: ${fault}]]` }] }],
    }),
  })
  const text = await response.text().catch(() => 'cut')
  return { status: response.status, text, frames: text.split('\r\n\r\n').filter(Boolean) }
}

const answerOf = async (fault: string) => JSON.parse((await generate(fault)).text)
const framesOf = async (fault: string) =>
  (await generate(fault, { isStreamed: true })).frames.map(frame => JSON.parse(frame.slice('data: '.length)))

describe('faults as the vendor presents them', () => {
  it('429 says in its body when to come back', async () => {
    const { error } = await answerOf('429;ms=17000')
    expect(error).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' })
    expect(error.details).toContainEqual({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '17s',
    })
  })

  it.each([
    ['500', 'INTERNAL'],
    ['503', 'UNAVAILABLE'],
    ['504', 'DEADLINE_EXCEEDED'],
    ['403', 'PERMISSION_DENIED'],
  ])('%s is %s', async (fault, status) => {
    expect(await answerOf(fault)).toMatchObject({ error: { code: Number(fault), status } })
  })

  it('too-long counts the tokens', async () => {
    const { error } = await answerOf('too-long')
    expect(error).toMatchObject({
      code: 400,
      message: expect.stringContaining('exceeds the maximum number of tokens'),
    })
  })

  it('refusal is a blocked prompt, whole and streamed', async () => {
    const blocked = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: expect.any(Number) },
    }
    expect(await answerOf('refusal')).toMatchObject(blocked)
    expect(await answerOf('refusal')).not.toHaveProperty('candidates')
    expect(await framesOf('refusal')).toEqual([
      expect.objectContaining(
        await answerOf('refusal').then(() => ({ promptFeedback: blocked.promptFeedback })),
      ),
    ])
  })

  it('malformed-call is a candidate of nothing', async () => {
    const [candidate] = (await answerOf('malformed-call')).candidates
    expect(candidate).toMatchObject({ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' })
    const [frame] = await framesOf('malformed-call')
    expect(frame.candidates[0]).toEqual(candidate)
  })

  it('error-frame is an error in place of an answer, and in the middle of one', async () => {
    expect(await answerOf('error-frame')).toMatchObject({ error: { code: 503 } })
    const frames = await framesOf('error-frame;n=3')
    expect(frames).toHaveLength(4)
    expect(frames.at(-1)).toMatchObject({ error: { status: 'UNAVAILABLE' } })
  })

  it('truncate ends without a reason, empty has no candidate, no-usage no usage', async () => {
    const frames = await framesOf('truncate;n=2')
    expect(frames).toHaveLength(2)
    expect(JSON.stringify(frames)).not.toContain('finishReason')
    expect(await answerOf('empty')).not.toHaveProperty('candidates')
    expect(await framesOf('empty')).toEqual([expect.not.objectContaining({ candidates: expect.anything() })])
    expect(await answerOf('no-usage')).not.toHaveProperty('usageMetadata')
  })
})
