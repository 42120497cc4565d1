import { createHmac } from 'node:crypto'
import type { PromptMessage } from '../model/prompt.ts'
import { refuse } from './host.ts'
import type { GenerateBody, WirePart } from './shape.ts'

/** Consecutive contents of the same role. */
interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: readonly WirePart[]
}

/** Reads `contents`. Consecutive contents of the model become one turn. */
export function readTurns({ contents }: GenerateBody): Turn[] {
  const turns: Turn[] = []
  for (const { role, parts } of contents) {
    const last = turns.at(-1)
    if (last?.role === 'model' && role === 'model') turns.pop()
    turns.push({
      role: role ?? 'user',
      parts: role === 'model' && last?.role === 'model' ? [...last.parts, ...parts] : parts,
    })
  }
  return turns
}

/** Checks the order of turns: the user first and last, and the responses of each call in the next turn. */
export function checkTurns(turns: readonly Turn[]): void {
  if (turns[0]?.role !== 'user' || turns.at(-1)?.role !== 'user')
    throw refuse(400, 'Please ensure that multiturn requests start and end with a user role.')
  for (const [index, { role, parts }] of turns.entries()) {
    const calls = callsOf(turns[index - 1])
    const responses = parts.flatMap(part => part.functionResponse ?? [])
    if (role === 'user' && parts.some(part => part.functionCall ?? part.text === ''))
      throw refuse(400, 'Please ensure that user turns have no function calls and no empty text.')
    if (role === 'model' && turns[index - 1]?.role !== 'user')
      throw refuse(400, 'Please ensure that multiturn requests alternate between user and model.')
    if (responses.length > 0 && (role === 'model' || responses.length < parts.length))
      throw refuse(400, 'Please ensure that a function response turn holds function responses alone.')
    if (namesOf(calls) !== namesOf(responses))
      throw refuse(400, 'Please ensure that function response parts match the function calls before them.')
  }
}

type FunctionUse = { name: string; id?: string | null | undefined }

function namesOf(uses: readonly FunctionUse[]): string {
  return JSON.stringify(uses.map(({ name, id }) => `${name} ${id ?? ''}`).sort())
}

function callsOf(turn: Turn | undefined): NonNullable<WirePart['functionCall']>[] {
  return turn?.parts.flatMap(part => part.functionCall ?? []) ?? []
}

/** Values that Gemini accepts instead of a signature. */
const sentinels = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

/**
 * Checks signatures for models that sign. Since the user's last message, the first call of each turn must have one.
 * Signatures of another model or for another caller are refused.
 */
export function checkSignatures(turns: readonly Turn[], signer: { caller: string; model: string }): void {
  const current = turns.findLastIndex(
    ({ role, parts }) => role === 'user' && !parts.some(part => part.functionResponse),
  )
  for (const [index, { parts }] of turns.entries()) {
    for (const { functionCall: call, thoughtSignature: signature } of parts) {
      if (signature == null || sentinels.includes(signature)) continue
      if (!call || signature !== signCall(signer, call.name))
        throw refuse(400, 'Corrupted thought signature.')
    }
    const first = parts.find(part => part.functionCall)
    if (index > current && first && first.thoughtSignature == null)
      throw refuse(400, 'Function call is missing a thought_signature in functionCall parts.')
  }
}

/** Signs a call. Only the same model accepts the signature, and only from the same caller. */
export function signCall({ caller, model }: { caller: string; model: string }, name: string): string {
  const signed = JSON.stringify([caller, model, name])
  return createHmac('sha256', 'simulator').update(signed).digest('base64')
}

/** Converts a turn for the model. Each function response becomes a separate message. */
export function presentTurn({ role, parts }: Turn): PromptMessage[] {
  const responses = parts.flatMap(({ functionResponse }): PromptMessage[] => {
    if (!functionResponse) return []
    const { id, name, response, parts: attached } = functionResponse
    const media = (attached ?? []).map(({ inlineData }) => inlineData.data)
    return [{ role: 'tool', text: JSON.stringify(response), media, calls: [], callId: id ?? name }]
  })
  if (responses.length > 0) return responses
  return [
    {
      role: role === 'model' ? 'assistant' : 'user',
      text: parts.flatMap(part => part.text || []).join('\n'),
      media: parts.flatMap(part => part.inlineData?.data ?? []),
      calls: callsOf({ role, parts }).map(({ id, name, args }) => ({
        ...{ id: id ?? name, name, arguments: JSON.stringify(args ?? {}) },
      })),
      callId: undefined,
    },
  ]
}
