import type { Json } from '../../json.ts'
import { refuse } from '../refuse.ts'
import { type Part, type PartRules, parsePart } from './parse-part.ts'
import { asFields, type Fields, readList, readText, refuseSense, refuseUnknownNames } from './read-fields.ts'

/** One `Content` of the conversation. */
export interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

/** The `contents`, each checked by itself; what the model said in several is one turn. */
export function parseTurns(fields: Fields, { hasIds }: { hasIds: boolean }): Turn[] {
  const list = readList(fields, 'contents')
  if (list.length === 0) throw refuseSense('contents', 'contents is not specified')
  const turns: Turn[] = []
  for (const [index, value] of list.entries()) {
    const turn = parseTurn(value, `contents[${index}]`, { hasIds })
    const last = turns.at(-1)
    if (last?.role !== 'model' || turn.role !== 'model') turns.push(turn)
    else turns[turns.length - 1] = { role: 'model', parts: [...last.parts, ...turn.parts] }
  }
  return turns
}

/** The `systemInstruction`, which is text alone; its role does not matter. */
export function parseSystem(fields: Fields): Part[] {
  const value = fields.values.systemInstruction ?? undefined
  if (value === undefined) return []
  const parts = parseParts(asFields(value, 'system_instruction'), { hasIds: false, mayBeEmpty: false })
  if (parts.every(part => part.text)) return parts
  throw refuseSense('system_instruction', 'only text is supported.')
}

function parseTurn(value: Json, at: string, { hasIds }: { hasIds: boolean }): Turn {
  const fields = asFields(value, at)
  const role = readText(fields, 'role') ?? 'user'
  if (role !== 'user' && role !== 'model') throw refuse(400, 'Please use a valid role: user, model.')
  return { role, parts: parseParts(fields, { hasIds, mayBeEmpty: role === 'model' }) }
}

function parseParts(fields: Fields, rules: PartRules): Part[] {
  refuseUnknownNames(fields, ['role', 'parts'])
  const parts = readList(fields, 'parts').map((part, index) =>
    parsePart(part, `${fields.at}.parts[${index}]`, rules),
  )
  if (parts.length === 0) throw refuseSense(`${fields.at}.parts`, 'contents.parts must not be empty.')
  return parts
}
