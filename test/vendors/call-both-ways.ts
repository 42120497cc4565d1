import type OpenAI from 'openai'
import { beforeEach } from 'vitest'
import type { TestClient } from '../harness/a-client.ts'
import { type EdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'
import type { Vendor } from './vendors.ts'

export type Params = OpenAI.ChatCompletionCreateParamsNonStreaming
type Answer = OpenAI.ChatCompletion

/** The system of a test file whose vendors are reset before each test; one of them refuses unsalted prompts. */
export function theVendorsSystem(): EdgeSystem {
  const system = theEdgeSystem({
    FIRST_BYTE_TIMEOUT_MS: '3000',
    IDLE_TIMEOUT_MS: '500',
    TOTAL_TIMEOUT_MS: '4000',
  })
  beforeEach(() => {
    system.simulator.reset()
    system.simulator.change({ requireSalt: true })
  })
  return system
}

/** Sends the same request whole and streamed; the SDK's own helper assembles the stream. */
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

/** The tokens of its prompt that were read from and written to the cache; undefined where there were none. */
export function cachingOf({ usage }: Answer) {
  const details: Caching | undefined = usage?.prompt_tokens_details
  return details
}

interface Caching {
  cached_tokens?: number
  cache_read_input_tokens?: number
  cache_creation_input_tokens?: number
}

/** What an answer costs by its usage, in nano-dollars. */
export function costOf(vendor: Vendor, answer: Answer): bigint {
  const { prompt_tokens: prompt = 0, completion_tokens: output = 0 } = answer.usage ?? {}
  const { cached_tokens: read = 0, cache_creation_input_tokens: written = 0 } = cachingOf(answer) ?? {}
  const { inputNanos, cacheReadNanos, cacheWriteNanos = inputNanos, outputNanos } = vendor
  const input = (prompt - read - written) * inputNanos + read * cacheReadNanos + written * cacheWriteNanos
  return BigInt(input + output * outputNanos)
}
