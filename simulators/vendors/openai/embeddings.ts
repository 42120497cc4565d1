import { z } from 'zod'
import { choice, integer, readShape } from '../../server/shape.ts'
import { spoilBody, startAnswer } from '../faults.ts'
import { countTokens, hashText, randomIntegers } from '../model/text.ts'
import type { Handler } from '../simulator.ts'
import { openaiHost as host, refuse, refuseMismatch, refuseParam } from './host.ts'

const maxInputs = 2_048
const maxInputTokens = 8_191

const tokens = z.array(z.number()).min(1)
const texts = z.preprocess(input => [input].flat(), z.array(z.string().min(1)).min(1))
const bodyShape = z.strictObject({
  model: z.string(),
  input: z.union([texts, z.array(tokens).min(1), tokens.transform(input => [input])]),
  dimensions: integer(1),
  encoding_format: choice('float', 'base64'),
  user: z.string().nullish(),
})

/** Handles `POST /v1/embeddings`. A vector has length 1 and depends on the text alone. */
export const createEmbeddings: Handler = async (simulator, exchange) => {
  await host.authenticate(exchange, simulator)
  const request = readShape(bodyShape, exchange.json, refuseMismatch)
  const { model, input: inputs, dimensions, encoding_format } = request
  const embedded = inputs.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
  const answering = { model, text: embedded[0] ?? '', refuse: host.refuseFailure }
  const fault = await startAnswer(simulator, exchange, answering)

  const maxDimensions = model.includes('-small') ? 1_536 : 3_072
  if (dimensions != null && dimensions > maxDimensions)
    throw refuseParam(`'dimensions' must be less than or equal to ${maxDimensions}.`, 'dimensions')
  const counts = inputs.map(item => (typeof item === 'string' ? countTokens(item) : item.length))
  if (inputs.length > maxInputs || counts.some(count => count > maxInputTokens)) {
    const message = `This model's maximum context length is ${maxInputTokens} tokens.`
    throw refuse(400, message, { code: 'context_length_exceeded', param: 'input' })
  }
  const data = embedded.map((text, index) => {
    const vector = vectorOf(text, dimensions ?? maxDimensions)
    const base64 = Buffer.from(vector.buffer).toString('base64')
    return { object: 'embedding', index, embedding: encoding_format === 'base64' ? base64 : [...vector] }
  })
  const total = counts.reduce((sum, count) => sum + count, 0)
  const usage = fault?.name === 'no-usage' ? undefined : { prompt_tokens: total, total_tokens: total }
  return spoilBody({ body: { object: 'list', data, model, usage } }, fault)
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const random = randomIntegers(hashText(text))
  const vector = Float32Array.from({ length: dimensions }, () => random.next().value / 2 ** 31 - 1)
  const length = Math.hypot(...vector)
  return vector.map(number => number / length)
}
