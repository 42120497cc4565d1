import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
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
import { markPrompt } from './caching.ts'
import { translateMessages } from './messages.ts'
import { translateAnswerFormat } from './response-format.ts'
import { translateTools } from './tools.ts'
import type { MessagesBody, ToolChoice } from './wire.ts'

/**
 * The body of a request. Only fields that the vendor knows are written; what else a client sends (`user`,
 * `metadata`, `store`, `seed`, fields that nobody knows) is dropped. Throws Problem, naming the parameter,
 * for what the vendor cannot do.
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

/**
 * How the answer is sampled: not at all to be told to recent models, and by one of the two to earlier ones,
 * which refuse temperature and top_p together.
 */
function translateSampling(
  { temperature, top_p: topP }: ChatRequest,
  { sampling, max_temperature: most }: ChatFlags,
): Pick<MessagesBody, 'temperature' | 'top_p'> {
  if (!sampling) return {}
  if (typeof temperature === 'number') return { temperature: Math.min(temperature, most) }
  return { top_p: topP ?? undefined }
}

/**
 * Stop sequences, without those that say nothing. Throws `unsupported_parameter` for white space and for too
 * many.
 */
function translateStop(request: ChatRequest, chat: ChatFlags): string[] | undefined {
  const stops = chooseStops(request, chat)
  if (!stops?.some(text => text.trim() === '')) return stops
  const message = 'The model cannot stop at white space alone.'
  throw new Problem('unsupported_parameter', { param: 'stop', message })
}

const words = ['low', 'medium', 'high', 'xhigh', 'max'] as const

interface Effort {
  effort?: (typeof words)[number] | undefined
  thinking?: MessagesBody['thinking']
}

/**
 * How long to think, by the model's table: a word for `output_config`, with which goes that the model thinks
 * as much as it takes (`adaptive`); or `none`, which turns thinking off. A request in the words of the
 * Messages protocol says itself how (`thinking`); budgets are of earlier models, recent ones set their own.
 * Where a call of a tool is demanded (`isForced`) the vendor refuses thinking, so nothing is said of it.
 * Throws `unsupported_parameter` for an effort that is not in the table.
 */
function translateEffort(
  request: ChatRequest,
  { reasoning }: ChatFlags,
  { isForced }: { isForced: boolean },
): Effort {
  const told = chooseEffort(request, { reasoning })
  if (!reasoning) return {}
  const effort = words.find(word => word === told)
  if (told !== undefined && told !== 'none' && !effort) throw refuseEffort(reasoning)
  const thinking = thinkingOf(request, told)
  const mayThink = !isForced || thinking?.type === 'disabled'
  return { effort, thinking: mayThink ? thinking : undefined }
}

function thinkingOf(
  { thinking }: Pick<ChatRequest, 'thinking'>,
  told: string | number | undefined,
): MessagesBody['thinking'] {
  if (!thinking) return told === undefined ? undefined : { type: told === 'none' ? 'disabled' : 'adaptive' }
  const { type, display } = thinking
  if (type === 'disabled' || type === 'between_tools') return { type }
  const shown = display === 'summarized' || display === 'omitted' ? display : undefined
  return { type: 'adaptive', display: shown }
}
