import { isSignedBy } from '../generate/sign-call.ts'
import { refuse } from '../refuse.ts'
import { hasResponses } from './check-turns.ts'
import type { Turn } from './parse-turns.ts'

/** What is taken in place of a signature that nobody has. */
const sentinels = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

/**
 * Models that sign want the first call of each of their turns signed by themselves, since the user last spoke; and
 * no signature anywhere that another model gave, or that was given to another caller.
 */
export function checkSignatures(turns: readonly Turn[], signer: { caller: string; model: string }): void {
  const current = turns.findLastIndex(turn => turn.role === 'user' && !hasResponses(turn))
  for (const [index, turn] of turns.entries()) {
    for (const { call, signature } of turn.parts) {
      if (signature === undefined || sentinels.includes(signature)) continue
      if (!call || !isSignedBy(signature, signer, call.name))
        throw refuse(400, 'Corrupted thought signature.')
    }
    const first = turn.parts.find(part => part.call)
    if (index > current && first?.call && first.signature === undefined)
      throw refuseUnsigned(first.call.name, index)
  }
}

function refuseUnsigned(name: string, index: number) {
  return refuse(
    400,
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  )
}
