import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../model/reply.ts'

/** `input_tokens` leave out what the cache gave or took. */
export function presentUsage(usage: Usage): Anthropic.Usage {
  const { promptTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: 'global',
    speed: null,
  }
}

/** The last event of a stream: recent models count everything once more, earlier ones the output alone. */
export function presentDeltaUsage(
  usage: Usage,
  { isRecent }: { isRecent: boolean },
): Anthropic.MessageDeltaUsage {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, ...rest } = presentUsage(usage)
  const { output_tokens, output_tokens_details, server_tool_use } = rest
  const output = { output_tokens, output_tokens_details, server_tool_use }
  if (isRecent) return { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, ...output }
  return { input_tokens: null, cache_creation_input_tokens: null, cache_read_input_tokens: null, ...output }
}
