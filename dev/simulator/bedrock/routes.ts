import type { OutgoingHttpHeaders } from 'node:http'
import { createMessage } from '../anthropic/messages/create-message.ts'
import type { Exchange, WireFormat } from '../server/exchange.ts'
import { authenticate } from './authenticate.ts'
import { refuse, refuseTrouble } from './refuse.ts'

/** Inference profiles go across regions: `eu.anthropic.lyric-5`. */
const modelPattern = /^([a-z]+\.)?anthropic\./

const handle = createMessage({
  authenticate,
  checkModel: model => {
    if (!modelPattern.test(model))
      throw refuse(400, 'ValidationException', 'The provided model identifier is invalid.')
  },
  presentHeaders,
  refuseTrouble,
})

/** Bedrock's native Messages path, for any region: base address `{simulator}/bedrock/anthropic`. */
export const bedrock: WireFormat = {
  prefix: '/bedrock/',
  routes: [{ method: 'POST', path: '/bedrock/anthropic/v1/messages', handle }],
  presentHeaders,
  refuseUnknown: () => refuse(404, 'UnknownOperationException', 'Unknown operation'),
  refuseTooLarge: () => refuse(413, 'RequestEntityTooLargeException', 'Request size exceeds the limit.'),
}

function presentHeaders({ id }: Exchange): OutgoingHttpHeaders {
  return { 'x-amzn-requestid': `00000000-0000-4000-8000-${id.toString(16).padStart(12, '0')}` }
}
