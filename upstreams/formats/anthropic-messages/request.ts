import type Anthropic from '@anthropic-ai/sdk'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import {
  chooseEffort,
  chooseStops,
  dropIgnored,
  refuseEffort,
  refuseUntranslatable,
} from '../shared/parameters.ts'
import { unsupported } from '../shared/refusals.ts'
import { setBreakpoints } from './caching.ts'
import { translateMessages } from './messages.ts'
import { translateAnswerFormat } from './response-format.ts'
import { translateTools } from './tools.ts'
import type { MessagesBody, ToolChoice } from './wire.ts'

/**
 * Builds the body of a request. Only fields that the vendor knows are sent. Other fields of the client (`user`,
 * `metadata`, `store`, `seed`, unknown fields) are dropped. Throws Problem with the parameter that the vendor does not
 * support.
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
  const { effort, thinking } = translateEffort(request, chat, { mustCallTool: isForced(offer.tool_choice) })
  setBreakpoints({ tools: offer.tools, system, turns }, { mayLastAnHour: target.byokId !== undefined })
  return {
    model: entry.upstream.model,
    max_tokens: outputTokens,
    ...(system.length > 0 && { system }),
    messages: turns,
    ...offer,
    ...translateSampling(request, chat),
    ...translateStop(request, chat),
    ...translateOutput(effort, schema),
    ...(thinking && { thinking }),
    stream: request.stream === true,
  }
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice?.type === 'any' || choice?.type === 'tool'
}

/**
 * Returns `temperature` and `top_p`. Recent models refuse both, so neither is sent. Earlier models refuse the
 * combination, so only `temperature` is sent if it is set.
 */
function translateSampling(
  { temperature, top_p: topP }: ChatRequest,
  { sampling, max_temperature: max }: ChatFlags,
): Pick<MessagesBody, 'temperature' | 'top_p'> {
  if (!sampling) return {}
  if (typeof temperature === 'number') return { temperature: Math.min(temperature, max) }
  return { top_p: topP ?? undefined }
}

/**
 * Returns the stop sequences. Throws `unsupported_parameter` for too many, and for a sequence of only white space,
 * which the vendor refuses.
 */
function translateStop(request: ChatRequest, chat: ChatFlags): Pick<MessagesBody, 'stop_sequences'> {
  const stops = chooseStops(request, chat)
  if (!stops) return {}
  if (!stops.some(text => text.trim() === '')) return { stop_sequences: stops }
  throw unsupported('stop', 'The model cannot stop at white space alone.')
}

function translateOutput(
  effort: EffortFields['effort'],
  format: Anthropic.JSONOutputFormat | undefined,
): Pick<MessagesBody, 'output_config'> {
  if (!effort && !format) return {}
  return { output_config: { ...(effort && { effort }), ...(format && { format }) } }
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

interface EffortFields {
  effort?: (typeof efforts)[number] | undefined
  thinking?: MessagesBody['thinking'] | undefined
}

/**
 * Returns how much the model thinks. An effort from the model's table is sent in `output_config`, with adaptive
 * thinking. `none` disables thinking. A request in the Messages format has its own `thinking`, from which a budget is
 * dropped, because recent models set their own. Thinking is left out if a tool call is forced, because the vendor
 * refuses the combination. Throws `unsupported_parameter` for an effort that is not in the table.
 */
function translateEffort(
  request: ChatRequest,
  chat: ChatFlags,
  { mustCallTool }: { mustCallTool: boolean },
): EffortFields {
  const requested = chooseEffort(request, chat)
  const { reasoning } = chat
  if (!reasoning) return {}
  const effort = efforts.find(name => name === requested)
  if (requested !== undefined && requested !== 'none' && !effort) throw refuseEffort(reasoning)
  const thinking = thinkingOf(request, requested)
  const mayThink = !mustCallTool || thinking?.type === 'disabled'
  return { effort, thinking: mayThink ? thinking : undefined }
}

function thinkingOf(
  { thinking }: Pick<ChatRequest, 'thinking'>,
  effort: string | number | undefined,
): EffortFields['thinking'] {
  if (!thinking)
    return effort === undefined ? undefined : { type: effort === 'none' ? 'disabled' : 'adaptive' }
  const { type, display } = thinking
  if (type === 'disabled' || type === 'between_tools') return { type }
  return { type: 'adaptive', ...((display === 'summarized' || display === 'omitted') && { display }) }
}
