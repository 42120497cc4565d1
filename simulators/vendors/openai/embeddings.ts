import { z } from 'zod'
import { startAnswer } from '../../server/faults.ts'
import { sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { countTokens, hashText } from '../model/text.ts'
import type { Handler } from '../simulator.ts'
import { refuse, refuseModel } from './errors.ts'
import { openaiHost as host } from './host.ts'
import { traitsOf } from './shape.ts'

const maxInputs = 2_048
const maxInputTokens = 8_191

const oneText = z.string().min(1)
const tokens = z.array(z.number()).min(1)
const bodyShape = z.object({
  model: z.string(),
  input: z.union([oneText, tokens, z.array(oneText).min(1), z.array(tokens).min(1)]),
  dimensions: z.number().nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

/** Handles `POST /v1/embeddings`. A vector has length 1 and depends on the text alone. */
export const createEmbeddings: Handler = async (simulator, exchange) => {
  await host.authenticate(exchange, simulator)
  const request = readShape(bodyShape, exchange.body.json, ({ path: [param] }) =>
    param === 'model'
      ? refuse(400, 'you must provide a model parameter')
      : refuse(400, `'$.${String(param)}' is invalid. Please check the API reference.`, {
          param: String(param),
        }),
  )
  const { model, input, dimensions, encoding_format } = request
  const inputs = typeof input === 'string' || typeof input[0] === 'number' ? [input] : input
  const texts = inputs.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
  const answering = { model, text: texts[0] ?? '', refuse: host.refuseFailure }
  const fault = await startAnswer(simulator, exchange, answering)
  if (exchange.response.destroyed) return

  if (traitsOf(model).isMissing) throw refuseModel(model)
  const maxDimensions = model.includes('-small') ? 1_536 : 3_072
  if (dimensions != null && dimensions > maxDimensions) {
    const message = `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${maxDimensions}.`
    throw refuse(400, message, { param: 'dimensions' })
  }
  const counts = inputs.map(item => (typeof item === 'string' ? countTokens(item) : [item].flat().length))
  if (inputs.length > maxInputs || counts.some(count => count > maxInputTokens)) {
    const message = `This model's maximum context length is ${maxInputTokens} tokens, however you requested ${Math.max(...counts)} tokens.`
    throw refuse(400, message, { code: 'context_length_exceeded', param: 'input' })
  }
  const data = texts.map((embedded, index) => {
    const vector = vectorOf(embedded, dimensions ?? maxDimensions)
    const base64 = Buffer.from(vector.buffer).toString('base64')
    return { object: 'embedding', index, embedding: encoding_format === 'base64' ? base64 : [...vector] }
  })
  const total = counts.reduce((sum, count) => sum + count, 0)
  const usage = fault?.name === 'no-usage' ? undefined : { prompt_tokens: total, total_tokens: total }
  const body = { object: 'list', data, model, usage }
  await sendWhole(exchange, { headers: host.presentHeaders(exchange), body, fault })
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  let state = hashText(text) || 1
  let squares = 0
  for (let at = 0; at < dimensions; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    vector[at] = state / 2 ** 31 - 1
    squares += (vector[at] ?? 0) ** 2
  }
  const length = Math.sqrt(squares)
  return vector.map(number => number / length)
}
