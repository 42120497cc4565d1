import type OpenAI from 'openai'
import { charactersPerToken } from '../../model/text/count-tokens.ts'

/** Each token of a text with a likelihood, and so many alternatives beside it. */
export function presentLogprobs(text: string, topCount: number): OpenAI.ChatCompletion.Choice.Logprobs {
  const content: OpenAI.ChatCompletionTokenLogprob[] = []
  for (let at = 0; at < text.length; at += charactersPerToken) {
    const token = text.slice(at, at + charactersPerToken)
    content.push({
      token,
      logprob: -0.125,
      bytes: [...Buffer.from(token)],
      top_logprobs: Array.from({ length: topCount }, (_, rank) => presentRank(token, rank)),
    })
  }
  return { content, refusal: null }
}

function presentRank(token: string, rank: number): OpenAI.ChatCompletionTokenLogprob.TopLogprob {
  const alternative = rank === 0 ? token : `${token}${rank}`
  return { token: alternative, logprob: -0.125 - 2 * rank, bytes: [...Buffer.from(alternative)] }
}
