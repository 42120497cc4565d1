import type { Handler } from '../server/exchange.ts'
import { sendWhole } from '../server/send-whole.ts'
import { authenticate } from './authenticate.ts'
import { presentHeaders } from './present-headers.ts'
import { refuseModel } from './refuse.ts'

const listed = ['gpt-sim', 'gpt-sim-mini', 'reasoning-sim']
const createdAt = 1_767_225_600

/** GET /v1/models. Models that are not listed can be called all the same. */
export const listModels: Handler = (_simulator, exchange) => {
  authenticate(exchange)
  const headers = presentHeaders(exchange)
  return sendWhole(exchange, {
    headers,
    body: JSON.stringify({ object: 'list', data: listed.map(presentModel) }),
  })
}

/** GET /v1/models/{model}. */
export const showModel: Handler = (_simulator, exchange) => {
  authenticate(exchange)
  const { model = '' } = exchange.params
  if (isMissing(model)) throw refuseModel(model)
  return sendWhole(exchange, {
    headers: presentHeaders(exchange),
    body: JSON.stringify(presentModel(model)),
  })
}

/** Every model is known, save those whose names say otherwise. */
export function isMissing(model: string): boolean {
  return model.startsWith('missing-')
}

function presentModel(id: string) {
  return { id, object: 'model', created: createdAt, owned_by: 'simulator' }
}
