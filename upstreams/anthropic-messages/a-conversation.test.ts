import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../dev/simulator/start-simulator.ts'
import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../schema/errors.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import { anyChatRequest } from '../../test/harness/any-chat-request.ts'
import type { Target } from '../chat-adapter.ts'
import { readAnswer } from './answer/read-answer.ts'
import { buildRequest } from './build-request.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator({ settings: { record: false } })
})
afterAll(() => simulator.close())

const request = anyChatRequest([
  'vendor_b/lyric-grand',
  'vendor_b/lyric',
  'vendor_b/lyric-swift',
  'vendor_b/lyric-classic',
])

/** What the vendor says to a request: its answer read, or the param of the refusal. */
async function exchange(
  asked: object,
  target: Target,
): Promise<{ answered: boolean; param?: string | undefined }> {
  try {
    const parsed = parseChatRequest(JSON.parse(JSON.stringify(asked)))
    const call = aChatCall(parsed)
    const { origin, path, headers, body } = await buildRequest(call, target)
    const response = await fetch(origin + path, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${text}\nof ${body}`)
    if (!call.request.stream) readAnswer(Buffer.from(text), call)
    return { answered: true }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { answered: false, param: error.details.param }
  }
}

describe.each<[string, () => Target]>([
  [
    "the vendor's own address",
    () => ({ vendor: 'vendor_b', baseUrl: `${simulator.url}/anthropic`, apiKey: 'sim-platform-key' }),
  ],
  [
    'Bedrock',
    () => ({
      vendor: 'vendor_b',
      baseUrl: `${simulator.url}/bedrock/anthropic`,
      apiKey: 'AKIASIM000000001:secret-of-AKIASIM000000001',
      config: { region: 'eu-central-1' },
    }),
  ],
])('any conversation, sent to %s', (_where, target) => {
  it('is taken, or refused by us with the parameter at fault', async () => {
    let answered = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(request, async asked => {
        const result = await exchange(asked, target())
        if (result.answered) answered++
        else refused++
        expect(result.answered || result.param).toBeTruthy()
      }),
      { numRuns: 400 },
    )
    expect(answered).toBeGreaterThan(20)
    expect(refused).toBeGreaterThan(20)
  })
})
