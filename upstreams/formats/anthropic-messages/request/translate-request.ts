import type { ChatCall, Target } from '../../../chat-adapter.ts'
import { refuseUntranslatable } from '../../shared/refuse-parameters.ts'
import { dropIgnored } from '../../shared/request/drop-ignored.ts'
import type { MessagesBody, ToolChoice } from '../wire.ts'
import { markPrompt } from './mark-cache.ts'
import { translateAnswerFormat } from './translate-answer-format.ts'
import { translateEffort } from './translate-effort.ts'
import { translateMessages } from './translate-messages.ts'
import { translateSampling } from './translate-sampling.ts'
import { translateStop } from './translate-stop.ts'
import { translateTools } from './translate-tools.ts'

/**
 * The body of a request. Only fields that the vendor knows are written; what else a client sends (`user`, `metadata`,
 * `store`, `seed`, fields that nobody knows) is dropped.
 * Throws Problem, naming the parameter, for what the vendor cannot do.
 */
export function translateRequest(
  { entry, request: sent, outputTokens }: ChatCall,
  target: Pick<Target, 'byokId'> = {},
): MessagesBody {
  const { chat } = entry
  const request = dropIgnored(sent, chat)
  refuseUntranslatable(request, chat, target)
  const { instruction, schema, answerTool } = translateAnswerFormat(request, chat)
  const { system, turns } = translateMessages(request.messages, chat)
  if (instruction) system.push(instruction)
  const offer = translateTools(request, answerTool, chat)
  const { effort, thinking } = translateEffort(request, chat, { isForced: isForced(offer.tool_choice) })
  markPrompt({ tools: offer.tools, system, turns }, { mayLast: target.byokId !== undefined })
  return {
    model: entry.upstream.model,
    max_tokens: outputTokens,
    system: system.length > 0 ? system : undefined,
    messages: turns,
    ...offer,
    ...translateSampling(request, chat),
    stop_sequences: translateStop(request, chat),
    output_config: effort || schema ? { effort, format: schema } : undefined,
    thinking,
    stream: request.stream === true,
  }
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice?.type === 'any' || choice?.type === 'tool'
}
