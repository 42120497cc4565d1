import type Anthropic from '@anthropic-ai/sdk'
import { answerText, cutText, outputTokens, promptTokens } from './answer-text.ts'
import type { WireFormat } from './ready-answers.ts'

const usage: Anthropic.Usage = {
  input_tokens: promptTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: outputTokens,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: null,
  service_tier: 'standard',
  inference_geo: 'global',
  speed: null,
}

const message: Anthropic.Message = {
  id: 'msg_000000000000000000000000',
  type: 'message',
  role: 'assistant',
  model: 'lyric-swift-5',
  content: [{ type: 'text', text: answerText, citations: null }],
  container: null,
  diagnostics: null,
  stop_reason: 'end_turn',
  stop_details: null,
  stop_sequence: null,
  usage,
}

/** vendor_b: a stream is named events, one block of text, and a ping after the first of them. */
export const anthropicMessages: WireFormat = {
  headers: ['request-id: req_000000000000000000000000', 'anthropic-organization-id: org-bench'],
  whole: () => message,
  frames: chunks => [
    frame({
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    }),
    'event: ping\ndata: {"type": "ping"}\n\n',
    frame({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '', citations: null },
    }),
    ...cutText(chunks).map(text =>
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    frame({ type: 'content_block_stop', index: 0 }),
    endFrame(),
    frame({ type: 'message_stop' }),
  ],
}

function endFrame(): string {
  const { container, stop_reason, stop_details, stop_sequence } = message
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage
  const { output_tokens, output_tokens_details, server_tool_use } = usage
  return frame({
    type: 'message_delta',
    delta: { container, stop_reason, stop_details, stop_sequence },
    usage: {
      input_tokens,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      output_tokens,
      output_tokens_details,
      server_tool_use,
    },
  })
}

function frame(event: Anthropic.RawMessageStreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
