import type OpenAI from 'openai'
import { beforeEach } from 'vitest'
import type { TestClient } from '../harness/a-client.ts'
import { type EdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'
import type { Vendor } from './vendors.ts'

export type Params = OpenAI.ChatCompletionCreateParamsNonStreaming
type Answer = OpenAI.ChatCompletion

/** The system of a test file whose vendors forget from test to test, and one of them refuses what is not salted. */
export function theVendorsSystem(): () => EdgeSystem {
  const system = theEdgeSystem({
    FIRST_BYTE_TIMEOUT_MS: '3000',
    IDLE_TIMEOUT_MS: '500',
    TOTAL_TIMEOUT_MS: '4000',
  })
  beforeEach(() => {
    system().simulator.reset()
    system().simulator.change({ requireSalt: true })
  })
  return system
}

/** The same question, whole and streamed, the stream put together by the client's own helper. */
export async function callBothWays(
  { openai }: TestClient,
  params: Params,
): Promise<[whole: Answer, streamed: Answer]> {
  const whole = await openai.chat.completions.create(params)
  const streamed = await openai.chat.completions
    .stream({ ...params, stream: true, stream_options: { include_usage: true } })
    .finalChatCompletion()
  return [whole, streamed]
}

export function contentOf({ choices }: Answer): string {
  return choices[0]?.message.content ?? ''
}

/** What of its prompt an answer says was read from the cache and written to it; nothing where that was nothing. */
export function cachingOf({ usage }: Answer) {
  const details: Caching | undefined = usage?.prompt_tokens_details
  return details
}

interface Caching {
  cached_tokens?: number
  cache_read_input_tokens?: number
  cache_creation_input_tokens?: number
}

/** What an answer costs by what it says was used, in nano-dollars. */
export function costOf(vendor: Vendor, answer: Answer): bigint {
  const { prompt_tokens: prompt = 0, completion_tokens: output = 0 } = answer.usage ?? {}
  const { cached_tokens: read = 0, cache_creation_input_tokens: written = 0 } = cachingOf(answer) ?? {}
  const { inputNanos, cacheReadNanos, cacheWriteNanos = inputNanos, outputNanos } = vendor
  const input = (prompt - read - written) * inputNanos + read * cacheReadNanos + written * cacheWriteNanos
  return BigInt(input + output * outputNanos)
}
