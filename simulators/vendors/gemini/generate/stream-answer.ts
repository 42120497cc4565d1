import type { Candidate, GenerateAnswer } from '../../../../upstreams/formats/gemini/wire.ts'
import type { Candidate as MadeCandidate, Reply } from '../../model/reply.ts'
import { countTokens } from '../../model/text/count-tokens.ts'
import { splitWords } from '../../model/text/split-text.ts'
import { finishReasons, malformed, type Presenting, presentBlock } from './present-answer.ts'
import { presentLogprobs } from './present-logprobs.ts'
import { presentCalls } from './present-parts.ts'
import { presentUsage } from './present-usage.ts'

/**
 * An answer in frames, each an answer itself: the candidates by turns, and with each the usage so far. The last
 * frame of a candidate says why it ended.
 */
export function* streamAnswer(
  reply: Reply,
  presenting: Presenting & { isBlocked: boolean },
): Iterable<GenerateAnswer> {
  const { candidates, usage } = reply
  if (presenting.isBlocked) return yield presentBlock(reply, presenting)
  if (candidates.length === 0) return yield presentBare(reply, presenting)
  const total = usage && usage.outputTokens - usage.reasoningTokens
  let frames = candidates.map((candidate, index) => [...streamCandidate(candidate, index, presenting)])
  let left = frames.reduce((sum, list) => sum + list.length, 0)
  let tokens = 0
  while (left > 0) {
    for (const [candidate] of frames.map(list => list.slice(0, 1))) {
      if (!candidate) continue
      left--
      tokens = left === 0 ? (total ?? 0) : Math.min(total ?? 0, tokens + countTokens(textOf(candidate)))
      yield {
        candidates: [candidate],
        ...(usage && { usageMetadata: presentUsage(usage, tokens) }),
        ...presenting.identity,
      }
    }
    frames = frames.map(list => list.slice(1))
  }
}

/** Neither a candidate nor a reason: what the fault `empty` asks for. */
function presentBare({ usage }: Reply, { identity }: Presenting): GenerateAnswer {
  return { ...(usage && { usageMetadata: presentUsage(usage, 0) }), ...identity }
}

function* streamCandidate(
  { text, calls, finish }: MadeCandidate,
  index: number,
  { signer, topLogprobs, isMalformed }: Presenting,
): Iterable<Candidate> {
  if (isMalformed) return yield { content: {}, index, ...malformed }
  const finishReason = finishReasons[finish]
  if (calls.length > 0) {
    yield { content: { role: 'model', parts: presentCalls(calls, signer) }, index }
    return yield { content: { role: 'model', parts: [{ text: '' }] }, finishReason, index }
  }
  const pieces = [...splitWords(text)]
  for (const [position, piece] of (pieces.length > 0 ? pieces : ['']).entries()) {
    yield {
      content: { role: 'model', parts: [{ text: piece }] },
      ...(position >= pieces.length - 1 && { finishReason }),
      index,
      ...(topLogprobs !== undefined && piece && { logprobsResult: presentLogprobs(piece, topLogprobs) }),
    }
  }
}

function textOf({ content }: Candidate): string {
  return content?.parts?.map(part => part.text ?? '').join('') ?? ''
}
