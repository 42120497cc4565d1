import type { ToolCall } from '../../../../schema/wire/chat.ts'
import { requireText } from '../../shared/answer/read-shape.ts'
import { mintCallId } from '../../shared/signatures/call-id.ts'
import type { Part } from '../wire.ts'

/** A call of a tool, with the vendor's signature where its own OpenAI-style API puts it, beside the id that carries it. */
export interface SignedCall extends ToolCall {
  type: 'function'
  extra_content?: { google: { thought_signature: string } }
}

/** What a candidate says and calls. Thoughts are not part of it. */
export function readParts(
  parts: readonly Part[] | undefined,
  { origin, signs }: { origin: string; signs: boolean },
): { text: string; calls: SignedCall[] } {
  let text = ''
  const calls: SignedCall[] = []
  for (const part of parts ?? []) {
    if (part.thought) continue
    if (part.text) text += requireText(part.text)
    const name = part.functionCall?.name
    if (name) calls.push(readCall(part, requireText(name), { origin, signs }))
  }
  return { text, calls }
}

function readCall(
  { functionCall, thoughtSignature }: Part,
  name: string,
  { origin, signs }: { origin: string; signs: boolean },
): SignedCall {
  const seal = signs ? { origin, vendorId: functionCall?.id, signature: thoughtSignature } : { origin }
  return {
    id: mintCallId(seal),
    type: 'function',
    function: { name, arguments: JSON.stringify(functionCall?.args ?? {}) },
    ...(signs && thoughtSignature && { extra_content: { google: { thought_signature: thoughtSignature } } }),
  }
}
