import type { Json } from '../../json.ts'
import type { PromptCall, PromptMessage } from '../../model/prompt.ts'
import { checkToolResults } from './check-tool-results.ts'
import { type PartType, parseContent } from './parse-content.ts'
import { readFunctionName } from './parse-function.ts'
import {
  asFields,
  type Fields,
  readChoice,
  readList,
  readOptionalText,
  readText,
  refuseUnknownNames,
} from './read-fields.ts'
import { refuseMissing } from './refuse-field.ts'

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'] as const
type Role = (typeof roles)[number]

/** What each role is to a model: `developer` is the newer name of one, `function` the older name of another. */
const promptRoles: Readonly<Record<Role, PromptMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** The messages of a chat, each checked by its role, tools' results against the calls that they answer. */
export function parseMessages(fields: Fields): PromptMessage[] {
  const list = readList(fields, 'messages')
  if (!list) throw refuseMissing('messages')
  const messages = list.map(parseMessage)
  checkToolResults(messages)
  return messages
}

const textOnly: readonly PartType[] = ['text']
const partsOf: Readonly<Record<Role, readonly PartType[]>> = {
  system: textOnly,
  developer: textOnly,
  tool: textOnly,
  function: textOnly,
  assistant: ['text', 'refusal'],
  user: ['text', 'image_url', 'input_audio', 'file'],
}
const namesOf: Readonly<Record<Role, ReadonlySet<string>>> = {
  system: new Set(['role', 'content', 'name']),
  developer: new Set(['role', 'content', 'name']),
  user: new Set(['role', 'content', 'name']),
  tool: new Set(['role', 'content', 'tool_call_id']),
  function: new Set(['role', 'content', 'name']),
  assistant: new Set([
    'role',
    'content',
    'name',
    'refusal',
    'tool_calls',
    'audio',
    'annotations',
    'function_call',
  ]),
}

function parseMessage(value: Json, index: number): PromptMessage {
  const message = asFields(value, `messages[${index}]`)
  const role = readChoice(message, 'role', roles)
  if (role === undefined) throw refuseMissing(`messages[${index}].role`)
  refuseUnknownNames(message, namesOf[role])
  if (role === 'function') readText(message, 'name')
  const calls = role === 'assistant' ? (readList(message, 'tool_calls') ?? []).map(parseCall(message)) : []
  const isOptional = calls.length > 0 || Boolean(message.values.refusal ?? message.values.function_call)
  return {
    role: promptRoles[role],
    ...parseContent(message, { types: partsOf[role], isOptional }),
    calls,
    callId: role === 'tool' ? readText(message, 'tool_call_id') : undefined,
  }
}

function parseCall(message: Fields): (value: Json, index: number) => PromptCall {
  return (value, index) => {
    const call = asFields(value, `${message.at}.tool_calls[${index}]`)
    const type = readChoice(call, 'type', ['function', 'custom'])
    if (type === undefined) throw refuseMissing(`${call.at}.type`)
    const details = asFields(call.values[type], `${call.at}.${type}`)
    readOptionalText(call, 'id', { most: 40 })
    return {
      id: readText(call, 'id'),
      name: readFunctionName(details),
      arguments: readText(details, type === 'custom' ? 'input' : 'arguments'),
    }
  }
}
