import type { Candidate, GenerateAnswer, Part } from '../../../../upstreams/formats/gemini/wire.ts'
import type { Candidate as MadeCandidate, Reply } from '../../model/reply.ts'
import { presentLogprobs } from './present-logprobs.ts'
import { presentCalls, type Signer } from './present-parts.ts'
import { presentUsage } from './present-usage.ts'

/** What all frames of one answer share. */
export interface Identity {
  readonly modelVersion: string
  readonly responseId: string
}

export interface Presenting {
  readonly identity: Identity
  readonly signer: Signer | undefined
  readonly topLogprobs: number | undefined
  /** The model is to make a call that is none. */
  readonly isMalformed: boolean
}

export const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', calls: 'STOP' } as const

export const malformed = {
  finishReason: 'MALFORMED_FUNCTION_CALL',
  finishMessage: 'Malformed function call: print(default_api.nothing(',
} as const

/** A whole answer, as a `GenerateContentResponse`. */
export function presentAnswer({ candidates, usage }: Reply, presenting: Presenting): GenerateAnswer {
  return {
    ...(candidates.length > 0 && {
      candidates: candidates.map((candidate, index) => presentCandidate(candidate, index, presenting)),
    }),
    ...(usage && { usageMetadata: presentUsage(usage, usage.outputTokens - usage.reasoningTokens) }),
    ...presenting.identity,
  }
}

/** What stands in place of an answer to a prompt that was blocked. */
export function presentBlock({ usage }: Reply, { identity }: Presenting): GenerateAnswer {
  const counted = usage && { promptTokenCount: usage.promptTokens, totalTokenCount: usage.promptTokens }
  return {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    ...(counted && { usageMetadata: counted }),
    ...identity,
  }
}

function presentCandidate(
  { text, calls, finish }: MadeCandidate,
  index: number,
  { signer, topLogprobs, isMalformed }: Presenting,
): Candidate {
  if (isMalformed) return { content: {}, index, ...malformed }
  const parts: Part[] = calls.length > 0 ? presentCalls(calls, signer) : [{ text }]
  return {
    content: { role: 'model', parts },
    finishReason: finishReasons[finish],
    index,
    ...(topLogprobs !== undefined &&
      text && { logprobsResult: presentLogprobs(text, topLogprobs), avgLogprobs: -0.125 }),
  }
}
