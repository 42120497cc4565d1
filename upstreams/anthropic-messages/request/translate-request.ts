import type { ChatCall } from '../../chat-adapter.ts'
import { refuseUntranslatable } from '../../refuse-parameters.ts'
import { dropIgnored } from '../../request/drop-ignored.ts'
import type { MessagesBody, TextBlock } from '../wire.ts'
import { translateAnswerFormat } from './translate-answer-format.ts'
import { translateEffort } from './translate-effort.ts'
import { translateMessages } from './translate-messages.ts'
import { translateSampling } from './translate-sampling.ts'
import { translateStop } from './translate-stop.ts'
import { translateTools } from './translate-tools.ts'

/**
 * The body of a request. Only fields that the vendor knows are written; what else a client sends (`user`, `metadata`,
 * `store`, `service_tier`, `seed`, fields that nobody knows) is dropped.
 * Throws Problem, naming the parameter, for what the vendor cannot do.
 */
export function translateRequest({ entry, request: sent, outputTokens }: ChatCall): MessagesBody {
  const { chat } = entry
  const request = dropIgnored(sent, chat)
  refuseUntranslatable(request, chat)
  const { instruction, schema, answerTool } = translateAnswerFormat(request, chat)
  const { system, turns } = translateMessages(request.messages, chat)
  const { effort, thinking } = translateEffort(request, chat)
  return {
    model: entry.upstream.model,
    max_tokens: outputTokens,
    system: markLast(instruction ? [...system, instruction] : system),
    messages: turns,
    ...translateTools(request, answerTool),
    ...translateSampling(request, chat),
    stop_sequences: translateStop(request, chat),
    output_config: effort || schema ? { effort, format: schema } : undefined,
    thinking,
    stream: request.stream === true,
  }
}

/** The one breakpoint of the prompt cache: tools and system are the prefix that a conversation shares. */
function markLast(system: TextBlock[]): TextBlock[] | undefined {
  const last = system.at(-1)
  return last && [...system.slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }]
}
