import type { Json } from '../../json.ts'
import { refuse } from '../refuse.ts'
import { type Block, type BlockType, parseBlock } from './parse-block.ts'
import {
  asFields,
  type Fields,
  readChoice,
  readList,
  refuseField,
  refuseUnknownNames,
} from './read-fields.ts'

/** One message of the conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly Block[]
}

const typesOf: Readonly<Record<Turn['role'], readonly BlockType[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'tool_use', 'thinking', 'redacted_thinking'],
  system: ['text'],
}

/** The `messages`, each checked by itself. */
export function parseTurns(fields: Fields): Turn[] {
  const list = readList(fields, 'messages')
  if (!list) throw refuseField('messages', 'Field required')
  if (list.length === 0) throw refuse(400, 'messages: at least one message is required')
  return list.map((value, index) => parseTurn(value, index))
}

function parseTurn(value: Json, index: number): Turn {
  const message = asFields(value, `messages.${index}`)
  const role = readChoice(message, 'role', ['user', 'assistant', 'system'])
  refuseUnknownNames(message, ['role', 'content'])
  const blocks = parseContent(message.values.content, `${message.at}.content`, typesOf[role])
  if (blocks.length > 0) return { role, blocks }
  throw refuse(
    400,
    `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
  )
}

/** The content of a message, or the `system`: a text stands for one block of it. */
export function parseContent(value: Json | undefined, at: string, types: readonly BlockType[]): Block[] {
  if (value === undefined) throw refuseField(at, 'Field required')
  if (typeof value === 'string')
    return value === '' ? [] : [parseBlock({ type: 'text', text: value }, at, types)]
  if (!Array.isArray(value)) throw refuseField(at, 'Input should be a valid string or list')
  return value.map((block, index) => parseBlock(block, `${at}.${index}`, types))
}
