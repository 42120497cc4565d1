import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../dev/simulator/start-simulator.ts'
import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../schema/errors.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import { anyChatRequest } from '../../test/harness/any-chat-request.ts'
import type { Target } from '../chat-adapter.ts'
import { openSseReader } from '../http/sse-reader.ts'
import type { Outside } from '../outside.ts'
import { openTranslator } from './answer/open-translator.ts'
import { readAnswer } from './answer/read-answer.ts'
import { buildRequest } from './build-request.ts'

let simulator: RunningSimulator
let vertexAccount: object

beforeAll(async () => {
  simulator = await startSimulator({ settings: { record: false, requireSalt: true } })
  const response = await fetch(`${simulator.url}/vertex/service-account.json`)
  vertexAccount = JSON.parse(await response.text())
})
afterAll(() => simulator.close())

/** Nothing is fetched here but tokens, and these by hand. */
const outside: Outside = {
  fetchImages: async () => new Map(),
  forgetToken: () => {},
  async accessToken(account) {
    const { exchangeToken } = await import('../vertex/exchange-token.ts')
    const { getGlobalDispatcher } = await import('undici')
    return (
      await exchangeToken({ dispatcher: getGlobalDispatcher(), allowLoopback: true }, account, Date.now())
    ).text
  },
}

/** What the vendor says to a request: answered, or the param of our refusal. Throws where it refuses itself. */
async function exchange(
  asked: object,
  target: Target,
): Promise<{ answered: boolean; param?: string | undefined }> {
  try {
    const call = aChatCall(parseChatRequest(JSON.parse(JSON.stringify(asked))))
    const { origin, path, headers, body } = await buildRequest(call, target, outside)
    const response = await fetch(origin + path, { method: 'POST', headers, body })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200) throw new Error(`${bytes}\nto ${body}`)
    if (call.request.stream) {
      const translator = openTranslator(call, target)
      for (const event of openSseReader().push(bytes)) translator.read(event)
      translator.end()
    } else {
      readAnswer(bytes, call, target)
    }
    return { answered: true }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { answered: false, param: error.details.param }
  }
}

const request = anyChatRequest(['vendor_c/prism-pro', 'vendor_c/prism-flash', 'vendor_c/prism-lite'])

describe.each<[string, number, () => Target]>([
  [
    "the vendor's own door",
    400,
    () => ({ vendor: 'vendor_c', baseUrl: `${simulator.url}/gemini`, apiKey: 'sim-platform-key' }),
  ],
  [
    'Vertex',
    60,
    () => ({
      vendor: 'vendor_c',
      baseUrl: `${simulator.url}/vertex`,
      apiKey: '',
      config: { region: 'europe-west4', service_account: vertexAccount },
    }),
  ],
])('any conversation, sent to %s', (_where, numRuns, target) => {
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
      { numRuns },
    )
    expect(answered).toBeGreaterThan(numRuns / 8)
    expect(refused).toBeGreaterThan(numRuns / 8)
  })
})
