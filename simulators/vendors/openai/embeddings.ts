import type { Refusal } from '../../server/exchange.ts'
import { startAnswer } from '../../server/faults.ts'
import { isRecord, type Json } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { countTokens, hashText } from '../model/text.ts'
import type { Handler } from '../simulator.ts'
import type { ChatHost } from './chat.ts'
import { refuse, refuseModel } from './errors.ts'
import { traitsOf } from './shape.ts'

const maxInputs = 2_048
const maxInputTokens = 8_191

/** Handles `POST /v1/embeddings`. Vectors have length 1 and depend on the text alone: 1,536 numbers for `…-small` models, else 3,072. */
export function createEmbeddings(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    host.authenticate(exchange)
    const { model, inputs, dimensions, format } = readBody(exchange.body.json)
    const texts = inputs.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
    const text = texts[0] ?? ''
    const fault = await startAnswer(simulator, exchange, { model, text, refuse: host.refuseFailure })
    if (exchange.response.destroyed) return

    if (traitsOf(model).isMissing) throw refuseModel(model)
    const maxDimensions = model.includes('-small') ? 1_536 : 3_072
    if (dimensions !== undefined && dimensions > maxDimensions) {
      const message = `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${maxDimensions}.`
      throw refuse(400, message, { param: 'dimensions' })
    }
    const total = countInputs(inputs)
    const data = texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: encode(vectorOf(text, dimensions ?? maxDimensions), format),
    }))
    const usage = fault?.name === 'no-usage' ? undefined : { prompt_tokens: total, total_tokens: total }
    const body = { object: 'list', data, model, usage }
    await sendWhole(exchange, { headers: host.presentHeaders(exchange), body, fault })
  }
}

type Input = string | number | Json[]

function readBody(body: Json | undefined) {
  if (!isRecord(body) || typeof body.model !== 'string')
    throw refuse(400, 'you must provide a model parameter')
  const { model, input, dimensions, encoding_format: format } = body
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  if (typeof input === 'number' || inputs.length === 0 || !inputs.every(isInput)) throw refuseInput()
  return { model, inputs, dimensions: typeof dimensions === 'number' ? dimensions : undefined, format }
}

/** Whether the input is a text, a token, or a list of them. */
function isInput(input: Json | undefined): input is Input {
  if (Array.isArray(input)) return input.length > 0 && input.every(isInput)
  return typeof input === 'number' || (typeof input === 'string' && input !== '')
}

function refuseInput(): Refusal {
  return refuse(400, "'$.input' is invalid. Please check the API reference.", { param: 'input' })
}

/** Returns the total number of tokens. Throws if there are more than 2,048 inputs, or if one has more than 8,191 tokens. */
function countInputs(inputs: readonly Input[]): number {
  const counts = inputs.map(item =>
    typeof item === 'string' ? countTokens(item) : Array.isArray(item) ? item.length : 1,
  )
  if (inputs.length > maxInputs || counts.some(count => count > maxInputTokens)) {
    const message = `This model's maximum context length is ${maxInputTokens} tokens, however you requested ${Math.max(...counts)} tokens.`
    throw refuse(400, message, { code: 'context_length_exceeded', param: 'input' })
  }
  return counts.reduce((sum, count) => sum + count, 0)
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  let state = hashText(text) || 1
  let squares = 0
  for (let at = 0; at < dimensions; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const number = state / 2 ** 31 - 1
    vector[at] = number
    squares += number ** 2
  }
  const length = Math.sqrt(squares)
  return vector.map(number => number / length)
}

function encode(vector: Float32Array, format: Json | undefined): number[] | string {
  return format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
}
