import { findFault } from '../../faults/find-fault.ts'
import { meetFault } from '../../faults/meet-fault.ts'
import { isRecord, type Json } from '../../json.ts'
import { countTokens } from '../../model/text/count-tokens.ts'
import { hashText } from '../../model/text/hash-text.ts'
import type { Handler } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send-whole.ts'
import { authenticate } from '../authenticate.ts'
import { isMissing } from '../list-models.ts'
import { presentHeaders } from '../present-headers.ts'
import { refuse, refuseModel, refuseTrouble } from '../refuse.ts'

const mostInputs = 2_048
const longestInput = 8_191

/** POST /v1/embeddings. The same text has the same vector, of length one; a `…-small` model has 1,536 numbers, others 3,072. */
export const createEmbeddings: Handler = async (simulator, exchange) => {
  authenticate(exchange)
  const { model, input, dimensions, encoding_format: format = 'float' } = readBody(exchange.body.json)
  const inputs = typeof input === 'string' || typeof input[0] === 'number' ? [input] : input
  const texts = inputs.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
  const fault = findFault({ request: exchange.request, model, text: texts[0] ?? '' })
  await meetFault(simulator, exchange, { fault, model, text: texts[0] ?? '', refuse: refuseTrouble })
  if (exchange.response.destroyed) return

  if (isMissing(model)) throw refuseModel(model)
  const most = model.includes('-small') ? 1_536 : 3_072
  if (dimensions !== undefined && dimensions > most) {
    throw refuse(
      400,
      `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${most}.`,
      {
        param: 'dimensions',
      },
    )
  }
  const counts = inputs.map(item =>
    typeof item === 'string' ? countTokens(item) : Array.isArray(item) ? item.length : 1,
  )
  if (inputs.length > mostInputs || counts.some(count => count > longestInput)) {
    const message = `This model's maximum context length is ${longestInput} tokens, however you requested ${Math.max(...counts)} tokens.`
    throw refuse(400, message, { code: 'context_length_exceeded', param: 'input' })
  }
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: encode(vectorOf(text, dimensions ?? most), format),
  }))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const usage = fault?.name === 'no-usage' ? undefined : { prompt_tokens: total, total_tokens: total }
  await sendWhole(exchange, {
    headers: presentHeaders(exchange),
    body: JSON.stringify({ object: 'list', data, model, usage }),
    fault,
  })
}

interface Body {
  model: string
  input: string | number[] | (string | number[])[]
  dimensions?: number
  encoding_format?: string
}

function readBody(body: Json | undefined): Body {
  if (!isRecord(body) || typeof body.model !== 'string')
    throw refuse(400, 'you must provide a model parameter')
  const { model, input, dimensions, encoding_format: format } = body
  if (!isInput(input)) {
    throw refuse(400, "'$.input' is invalid. Please check the API reference.", { param: 'input' })
  }
  return {
    model,
    input,
    ...(typeof dimensions === 'number' && { dimensions }),
    ...(typeof format === 'string' && { encoding_format: format }),
  }
}

function isInput(input: unknown): input is Body['input'] {
  if (typeof input === 'string') return input !== ''
  if (!Array.isArray(input) || input.length === 0) return false
  return input.every(item => typeof item === 'number' || isInput(item))
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  let state = hashText(text) || 1
  let squares = 0
  for (let at = 0; at < dimensions; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    vector[at] = state / 2 ** 31 - 1
    squares += vector[at]! ** 2
  }
  const length = Math.sqrt(squares)
  return vector.map(number => number / length)
}

function encode(vector: Float32Array, format: string): number[] | string {
  return format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
}
