import type { Exchange } from '../../server/exchange.ts'
import { isRecord } from '../../server/json.ts'
import { checkSalt } from '../model/check-salt.ts'
import { completeChat } from '../openai/chat.ts'
import { openaiHost, refuse } from '../openai/host.ts'
import { openai } from '../openai/routes.ts'
import type { VendorApi } from '../simulator.ts'

/**
 * Another vendor with OpenAI's chat format, at `{simulator}/compatible/v1`. It supports fewer parameters, and all
 * requests with the same key share its prompt cache.
 */
export const compatible: VendorApi = {
  ...openai,
  routes: {
    'POST /compatible/v1/chat/completions': completeChat({ ...openaiHost, prepare, checkPrompt: checkSalt }),
  },
}

/** Parameters that only OpenAI supports. */
const unsupported = [
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier', 'user'],
  ...['store', 'metadata', 'service_tier', 'reasoning_effort', 'logit_bias', 'logprobs', 'top_logprobs'],
]

function prepare(exchange: Exchange): Exchange {
  const { json } = exchange
  const name = isRecord(json) ? unsupported.find(param => param in json) : undefined
  if (name) throw refuse(400, `Unrecognized request argument supplied: ${name}`, { param: name })
  return exchange
}
