import { answerText } from '../upstream/answers.ts'
import type { LoadPlan } from './plan.ts'
import { statusOf } from './read-answer.ts'

const pieceOfText = '"delta":{"content":"'
const usage = '"usage":{"prompt_tokens":96,"completion_tokens":48'

/** What is wrong with an answer; undefined when it is what the upstream said, with its usage, to its end. */
export function findFault(plan: LoadPlan, answer: Buffer): string | undefined {
  if (statusOf(answer) !== '200') return firstWords(answer)
  const text = answer.toString('latin1')
  if (!text.includes(usage)) return 'an answer without its usage'
  if (plan.streamChunks === 0) return text.includes(answerText) ? undefined : 'an answer with other text'
  if (!text.includes('data: [DONE]\n\n')) return 'a stream without its end'
  const pieces = count(text, pieceOfText)
  return pieces === plan.streamChunks ? undefined : `a stream of ${pieces} pieces`
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++
  return found
}

/** Status line and body, short enough for a report. */
function firstWords(answer: Buffer): string {
  const [head = '', body = ''] = answer.toString('latin1', 0, 2000).split('\r\n\r\n')
  return `${head.slice(9, head.indexOf('\r\n'))}: ${body.slice(0, 300)}`
}
