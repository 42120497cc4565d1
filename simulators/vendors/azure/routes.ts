import type { WireFormat } from '../server/exchange.ts'
import { Refusal } from '../server/refusal.ts'
import { completeChat } from './complete-chat.ts'

/** OpenAI's models in a resource of Azure: the endpoint is `{simulator}/azure`. */
export const azure: WireFormat = {
  prefix: '/azure/',
  routes: [
    { method: 'POST', path: '/azure/openai/v1/chat/completions', handle: completeChat },
    {
      method: 'POST',
      path: /^\/azure\/openai\/deployments\/(?<deployment>[^/]+)\/chat\/completions$/,
      handle: completeChat,
    },
  ],
  presentHeaders: () => ({}),
  refuseUnknown: () =>
    new Refusal({ status: 404, body: { error: { code: '404', message: 'Resource not found' } } }),
  refuseTooLarge: () =>
    new Refusal({ status: 413, body: { statusCode: 413, message: 'The request is too large.' } }),
}
