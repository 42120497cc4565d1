import { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import type { UpstreamFailure } from '../../upstream-failure.ts'

/** What is not named by our own shape of a request, but is the vendor's to judge: without it the answer is another. */
const fieldsOfTheVendor = [
  ...[
    'audio',
    'functions',
    'function_call',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'metadata',
    'modalities',
  ],
  ...['moderation', 'prediction', 'prompt_cache_options', 'prompt_cache_retention', 'store', 'verbosity'],
  'web_search_options',
]
const known: ReadonlySet<string> = new Set([...Object.keys(ChatRequest.properties), ...fieldsOfTheVendor])

/**
 * The call without the fields that nobody here knows, where the vendor knows one of them as little: a field that other
 * vendors drop must not be a refusal here. The vendor itself is asked first, since its fields grow without us.
 */
export function relent({ details }: UpstreamFailure, call: ChatCall): ChatCall | undefined {
  if (!isUnknownField(details)) return undefined
  const fields = Object.entries(call.request)
  const kept = fields.filter(([name]) => known.has(name))
  if (kept.length === fields.length) return undefined
  const { model, messages } = call.request
  return { ...call, request: { ...Object.fromEntries(kept), model, messages } }
}

function isUnknownField({ code, message = '' }: UpstreamFailure['details']): boolean {
  return code === 'unknown_parameter' || /^(Unrecognized request argument|Unknown parameter)/i.test(message)
}
