import type { OutgoingHttpHeaders } from 'node:http'
import { createMessage, type Hosting } from '../anthropic/messages/create-message.ts'
import { isRecord } from '../json.ts'
import type { Exchange, Handler, WireFormat } from '../server/exchange.ts'
import { authenticate } from './authenticate.ts'
import { refuse, refuseTrouble } from './refuse.ts'

/** Inference profiles go across regions: `eu.anthropic.lyric-5`. */
const modelPattern = /^([a-z]+\.)?anthropic\./

const hosting: Hosting = {
  authenticate,
  checkModel: model => {
    if (!modelPattern.test(model))
      throw refuse(400, 'ValidationException', 'The provided model identifier is invalid.')
  },
  presentHeaders,
  refuseTrouble,
}
const handle = createMessage(hosting)

/** The newer endpoint knows no output formats, whatever the model. */
const handleAtMantle: Handler = (simulator, exchange) => {
  const { json } = exchange.body
  const config = isRecord(json) ? json.output_config : undefined
  if (isRecord(config) && config.format != null)
    throw refuse(400, 'ValidationException', 'output_config.format: Extra inputs are not permitted')
  return handle(simulator, exchange)
}

/**
 * Bedrock's native Messages path, for any region: base address `{simulator}/bedrock/anthropic`, and that of its newer
 * endpoint, `{simulator}/bedrock/mantle/anthropic`.
 */
export const bedrock: WireFormat = {
  prefix: '/bedrock/',
  routes: [
    { method: 'POST', path: '/bedrock/anthropic/v1/messages', handle },
    { method: 'POST', path: '/bedrock/mantle/anthropic/v1/messages', handle: handleAtMantle },
  ],
  presentHeaders,
  refuseUnknown: () => refuse(404, 'UnknownOperationException', 'Unknown operation'),
  refuseTooLarge: () => refuse(413, 'RequestEntityTooLargeException', 'Request size exceeds the limit.'),
}

function presentHeaders({ id }: Exchange): OutgoingHttpHeaders {
  return { 'x-amzn-requestid': `00000000-0000-4000-8000-${id.toString(16).padStart(12, '0')}` }
}
