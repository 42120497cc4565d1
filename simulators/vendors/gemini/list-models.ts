import type { Handler } from '../server/exchange.ts'
import { sendWhole } from '../server/send-whole.ts'
import { authenticate } from './authenticate.ts'
import { traitsOf } from './model-traits.ts'
import { presentHeaders } from './present-headers.ts'
import { refuseModel } from './refuse.ts'

const listed = ['prism-3-pro', 'prism-3-flash', 'prism-2-lite']

/** GET /v1beta/models. Models that are not listed can be called all the same. */
export const listModels: Handler = (_simulator, exchange) => {
  authenticate(exchange)
  return sendWhole(exchange, {
    headers: presentHeaders(),
    body: JSON.stringify({ models: listed.map(presentModel) }),
  })
}

/** GET /v1beta/models/{model}. */
export const showModel: Handler = (_simulator, exchange) => {
  authenticate(exchange)
  const { model = '' } = exchange.params
  if (traitsOf(model).isMissing) throw refuseModel(model)
  return sendWhole(exchange, { headers: presentHeaders(), body: JSON.stringify(presentModel(model)) })
}

function presentModel(model: string) {
  return {
    name: `models/${model}`,
    baseModelId: model,
    version: '001',
    displayName: model,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }
}
