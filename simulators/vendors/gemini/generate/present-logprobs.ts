import type { LogprobsResult } from '../../../../upstreams/formats/gemini/wire.ts'
import { charactersPerToken } from '../../model/text/count-tokens.ts'
import { hashText } from '../../model/text/hash-text.ts'

/** Each token of a text with a likelihood, and so many likely ones at each place. */
export function presentLogprobs(text: string, topCount: number): LogprobsResult {
  const tokens: string[] = []
  for (let at = 0; at < text.length; at += charactersPerToken)
    tokens.push(text.slice(at, at + charactersPerToken))
  return {
    chosenCandidates: tokens.map(token => presentRank(token, 0)),
    topCandidates: tokens.map(token => ({
      candidates: Array.from({ length: topCount }, (_, rank) => presentRank(token, rank)),
    })),
  }
}

function presentRank(token: string, rank: number) {
  const alternative = rank === 0 ? token : `${token}${rank}`
  return { token: alternative, tokenId: hashText(alternative), logProbability: -0.125 - 2 * rank }
}
