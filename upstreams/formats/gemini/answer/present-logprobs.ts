import type { Logprobs, TokenRank } from '../../../../schema/wire/chat.ts'
import type { LogprobsResult } from '../wire.ts'

/** The likelihoods of an answer's tokens; null where the vendor told none. */
export function presentLogprobs(result: LogprobsResult | undefined): Logprobs | null {
  if (!result?.chosenCandidates) return null
  const content = result.chosenCandidates.map((chosen, index) => ({
    ...presentToken(chosen),
    top_logprobs: (result.topCandidates?.[index]?.candidates ?? []).map(presentToken),
  }))
  return { content, refusal: null }
}

function presentToken({
  token = '',
  logProbability = 0,
}: {
  token?: string
  logProbability?: number
}): TokenRank {
  return { token, logprob: logProbability, bytes: [...Buffer.from(token)] }
}
