import { answerText } from '../upstream/answer-text.ts'
import type { LoadPlan } from './plan.ts'

/** The expected marks of a chat response, by protocol. */
const marks = {
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
}

/** An image: its URL from the edge, which stores it; its bytes from the floor. */
const image = /"data":\[\{"(url":"http:\/\/[^"]+\/media\/[^"]+"|b64_json":"iVBOR)/

/** Returns the fault of a response, or undefined if it is the upstream's complete response with its usage. */
export function findFault(
  { protocol = 'chat', streamChunks = 0 }: LoadPlan,
  answer: Buffer,
): string | undefined {
  if (answer.toString('latin1', 9, 12) !== '200') return firstWords(answer)
  if (protocol === 'images')
    return image.test(answer.toString('latin1', 0, 4_000)) ? undefined : 'a response without an image'
  const text = answer.toString('latin1')
  if (protocol === 'graph')
    return text.includes('"data":{"me":{') && !text.includes('"errors"') ? undefined : firstWords(answer)
  const { usage, pieceOfText, end } = marks[protocol]
  if (!usage.test(text)) return 'a response without its usage'
  if (streamChunks === 0) return text.includes(answerText) ? undefined : 'a response with other text'
  if (!text.includes(end)) return 'a stream without its end'
  const pieces = text.match(pieceOfText)?.length ?? 0
  return pieces === streamChunks ? undefined : `a stream of ${pieces} pieces`
}

/** Returns the status and the start of the body. */
function firstWords(answer: Buffer): string {
  const [head = '', body = ''] = answer.toString('latin1', 0, 2000).split('\r\n\r\n')
  return `${head.slice(9, head.indexOf('\r\n'))}: ${body.slice(0, 300)}`
}
