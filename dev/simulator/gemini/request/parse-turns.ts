import type { Json } from '../../json.ts'
import { refuse } from '../refuse.ts'
import { type Part, parsePart } from './parse-part.ts'
import { asFields, type Fields, readList, readText, refuseSense, refuseUnknownNames } from './read-fields.ts'

/** One `Content` of the conversation. */
export interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

/** The `contents`, each checked by itself. */
export function parseTurns(fields: Fields, { hasIds }: { hasIds: boolean }): Turn[] {
  const list = readList(fields, 'contents')
  if (list.length === 0) throw refuseSense('contents', 'contents is not specified')
  return list.map((value, index) => parseTurn(value, `contents[${index}]`, { hasIds }))
}

/** The `systemInstruction`, which is text alone; its role does not matter. */
export function parseSystem(fields: Fields): Part[] {
  const value = fields.values.systemInstruction ?? undefined
  if (value === undefined) return []
  const { parts } = parseContent(value, 'system_instruction', { hasIds: false })
  if (parts.every(part => part.text)) return parts
  throw refuseSense('system_instruction', 'only text is supported.')
}

function parseTurn(value: Json, at: string, { hasIds }: { hasIds: boolean }): Turn {
  const { role = 'user', parts } = parseContent(value, at, { hasIds })
  if (role !== 'user' && role !== 'model') throw refuse(400, 'Please use a valid role: user, model.')
  return { role, parts }
}

function parseContent(
  value: Json,
  at: string,
  { hasIds }: { hasIds: boolean },
): { role: string | undefined; parts: Part[] } {
  const fields = asFields(value, at)
  refuseUnknownNames(fields, ['role', 'parts'])
  const parts = readList(fields, 'parts').map((part, index) =>
    parsePart(part, `${at}.parts[${index}]`, { hasIds }),
  )
  if (parts.length === 0) throw refuseSense(`${at}.parts`, 'contents.parts must not be empty.')
  return { role: readText(fields, 'role'), parts }
}
