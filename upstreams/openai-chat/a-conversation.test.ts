import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../dev/simulator/start-simulator.ts'
import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../schema/errors.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import { anyChatRequest } from '../../test/harness/any-chat-request.ts'
import type { Target } from '../chat-adapter.ts'
import { openSseReader } from '../http/sse-reader.ts'
import { openaiChat } from './adapter.ts'
import { buildRequest } from './build-request.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator({ settings: { record: false, requireSalt: true } })
})
afterAll(() => simulator.close())

/**
 * What is the client's own and goes as it came, so that the vendor itself says what is wrong with it: by the parameter,
 * or by the complaint where we have a hand in the parameter too.
 */
const untouched = /^(tool_choice|response_format|top_logprobs)\b/
const complaints = [
  /preceeding message with 'tool_calls'|must be followed by tool messages/,
  /content\[\d+\]\.image_url\.url'\. Expected a valid URL/,
  /input_audio|Invalid value: '(refusal|input_audio|image_url)'/,
  /must contain the word 'json'/,
  /Invalid schema for function '[\w-]+': In context/,
  /Invalid value: 'web_search'/,
]

/** What the vendor says to a request: answered, or the param at fault. Throws where we are to blame. */
async function exchange(
  asked: object,
  target: Target,
): Promise<{ answered: boolean; param?: string | undefined }> {
  try {
    const call = aChatCall(parseChatRequest(JSON.parse(JSON.stringify(asked))))
    const { origin, path, headers, body } = buildRequest(call, target)
    const response = await fetch(origin + path, { method: 'POST', headers, body })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200) {
      const { details } = openaiChat.readFailure(response.status, {}, bytes, call)
      const { param = '', message = '' } = details
      const isClients = untouched.test(param) || complaints.some(complaint => complaint.test(message))
      if (!isClients) throw new Error(`${bytes}\nto ${body}`)
      return { answered: false, param }
    }
    if (call.request.stream) {
      const translator = openaiChat.openTranslator(call, target)
      for (const event of openSseReader().push(bytes)) translator.read(event)
      translator.end()
    } else {
      openaiChat.readAnswer(bytes, call, target)
    }
    return { answered: true }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { answered: false, param: error.details.param }
  }
}

const everywhere: [where: string, models: string[], target: () => Target][] = [
  [
    "the vendor's own address",
    ['vendor_a/atlas-large', 'vendor_a/atlas', 'vendor_a/atlas-nano', 'vendor_a/atlas-thinker'],
    () => ({ vendor: 'vendor_a', baseUrl: `${simulator.url}/openai/v1`, apiKey: 'sim-platform-key' }),
  ],
  [
    'Azure',
    ['vendor_a/atlas', 'vendor_a/atlas-thinker'],
    () => ({
      vendor: 'vendor_a',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'sim-azure-key',
      byokId: 'own',
      config: { endpoint: `${simulator.url}/azure` },
    }),
  ],
  [
    'another vendor of the format, which is salted',
    ['vendor_d/quill', 'vendor_d/quill-small', 'vendor_e/ember-coder'],
    () => ({ vendor: 'vendor_d', baseUrl: `${simulator.url}/compatible/v1`, apiKey: 'sim-platform-key' }),
  ],
]

describe.each(everywhere)('any conversation, sent to %s', (_where, models, target) => {
  it('is taken, or refused with the parameter at fault', async () => {
    let answered = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(anyChatRequest(models), async asked => {
        const result = await exchange(asked, target())
        if (result.answered) answered++
        else refused++
        expect(result.answered || result.param).toBeTruthy()
      }),
      { numRuns: 300 },
    )
    expect(answered).toBeGreaterThan(15)
    expect(refused).toBeGreaterThan(15)
  })
})
