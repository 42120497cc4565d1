import { answerText } from '../upstream/answer-text.ts'
import type { LoadPlan, Protocol } from './plan.ts'
import { statusOf } from './read-answer.ts'

/** The expected marks of a response, by protocol. */
const signs = {
  chat: {
    usage: /"usage":\{"prompt_tokens":96,"completion_tokens":48\b/,
    pieceOfText: /"content":"(?!")/g,
    end: 'data: [DONE]\n\n',
  },
  responses: {
    usage: /"usage":\{"input_tokens":96\b.*"output_tokens":48\b/,
    pieceOfText: /"type":"response.output_text.delta"/g,
    end: 'event: response.completed\n',
  },
} satisfies Partial<Record<Protocol, unknown>>

/** An image: by its address from the edge, which has stored it, and inline from the floor. */
const image = /"data":\[\{"(url":"http:\/\/[^"]+\/media\/[^"]+"|b64_json":"iVBOR)/

/** Returns the fault of a response, or undefined if it is the upstream's complete response with its usage. */
export function findFault(plan: LoadPlan, answer: Buffer): string | undefined {
  if (statusOf(answer) !== '200') return firstWords(answer)
  if (plan.protocol === 'images') {
    return image.test(answer.toString('latin1', 0, 4_000)) ? undefined : 'an answer without an image'
  }
  if (plan.protocol === 'graph') {
    const text = answer.toString('latin1')
    return text.includes('"data":{"me":{') && !text.includes('"errors"') ? undefined : firstWords(answer)
  }
  const { usage, pieceOfText, end } = signs[plan.protocol]
  const text = answer.toString('latin1')
  if (!usage.test(text)) return 'an answer without its usage'
  if (plan.streamChunks === 0) return text.includes(answerText) ? undefined : 'an answer with other text'
  if (!text.includes(end)) return 'a stream without its end'
  const pieces = text.match(pieceOfText)?.length ?? 0
  return pieces === plan.streamChunks ? undefined : `a stream of ${pieces} pieces`
}

/** Status line and body, short enough for a report. */
function firstWords(answer: Buffer): string {
  const [head = '', body = ''] = answer.toString('latin1', 0, 2000).split('\r\n\r\n')
  return `${head.slice(9, head.indexOf('\r\n'))}: ${body.slice(0, 300)}`
}
