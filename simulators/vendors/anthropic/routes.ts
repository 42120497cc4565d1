import type { WireFormat } from '../server/exchange.ts'
import { authenticate } from './authenticate.ts'
import { createMessage } from './messages/create-message.ts'
import { presentHeaders } from './present-headers.ts'
import { refuse, refuseTrouble } from './refuse.ts'

const handle = createMessage({
  authenticate: (_simulator, exchange) => authenticate(exchange),
  checkModel: () => {},
  presentHeaders,
  refuseTrouble,
})

/** Anthropic's API below `{simulator}/anthropic`. */
export const anthropic: WireFormat = {
  prefix: '/anthropic/',
  routes: [{ method: 'POST', path: '/anthropic/v1/messages', handle }],
  presentHeaders,
  refuseUnknown: (method, path) =>
    anthropic.routes.some(route => route.path === path)
      ? refuse(405, `Method Not Allowed: ${method}`)
      : refuse(404, 'Not found'),
  refuseTooLarge: () => refuse(413, 'Request exceeds the maximum size'),
}
