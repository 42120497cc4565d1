import type { Part } from '../../../../upstreams/formats/gemini/wire.ts'
import { isRecord, parseJson } from '../../json.ts'
import type { MadeCall } from '../../model/reply.ts'
import { signCall } from './sign-call.ts'

/** Who signs, and what calls are named after; undefined for models that do neither. */
export interface Signer {
  readonly caller: string
  readonly model: string
  readonly requestId: number
}

/** Calls of functions, each whole: one that the token limit cut short is left out. The first of them is signed. */
export function presentCalls(calls: readonly MadeCall[], signer: Signer | undefined): Part[] {
  return calls.flatMap(({ name, arguments: text }, index) => {
    const args = parseJson(text)
    if (!isRecord(args)) return []
    const id = signer && `fc${signer.requestId.toString(36)}x${index}`
    const signature = signer && index === 0 ? signCall(signer, name) : undefined
    return [
      {
        functionCall: { ...(id && { id }), name, args },
        ...(signature && { thoughtSignature: signature }),
      },
    ]
  })
}
