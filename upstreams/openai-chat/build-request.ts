import { memo } from '../../platform/memo.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { ChatCall, Target } from '../chat-adapter.ts'
import type { UpstreamRequest } from '../http/exchange.ts'
import { refuseParameters } from '../refuse-parameters.ts'
import { saltComment } from '../salt-comment.ts'
import { stripSignatures } from '../signatures/strip-signatures.ts'
import { azureDeployment } from './azure-deployment.ts'

/**
 * The request as the vendor wants it: the client's own fields, unknown ones included, under the vendor's model name,
 * or that of the deployment where the credential is one of Azure.
 */
export function buildRequest(call: ChatCall, target: Target): UpstreamRequest {
  refuseParameters(call.request, call.entry.chat)
  const azure = azureDeployment(call, target)
  const { origin, path } = azure ?? locateChat(target.baseUrl)
  const bearer = { authorization: `Bearer ${target.apiKey}` }
  return {
    origin,
    path,
    headers: {
      ...(azure ? { 'api-key': target.apiKey } : bearer),
      'content-type': 'application/json',
      accept: call.request.stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
    body: JSON.stringify(bodyOf(call, target, azure?.name ?? call.entry.upstream.model)),
  }
}

const locateChat = memo(1_000, baseUrl => {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname === '/' ? '' : pathname}/chat/completions` }
})

/** Fields set to undefined do not travel; deleting them would cost more. */
function bodyOf(
  { entry, request, outputTokens, cacheToken }: ChatCall,
  target: Target,
  model: string,
): ChatRequest {
  const messages = stripSignatures(request.messages)
  const body: ChatRequest = { ...request, model, messages, prompt_cache_key: cacheToken }
  if (entry.chat.cache_isolation === 'salt') {
    body.prompt_cache_key = undefined
    body.messages = [{ role: 'system', content: saltComment(cacheToken) }, ...messages]
  }
  body.max_tokens = undefined
  body.max_completion_tokens = undefined
  body[entry.chat.output_limit_field === 'max_tokens' ? 'max_tokens' : 'max_completion_tokens'] = outputTokens
  body.stream_options = request.stream ? { ...request.stream_options, include_usage: true } : undefined
  // A dearer tier of the vendor's is not for the platform's credential: it is charged as the catalogue says.
  if (!target.byokId) body.service_tier = undefined
  dropEmpty(body)
  if (!entry.chat.sampling) {
    body.temperature = undefined
    body.top_p = undefined
  }
  return Object.assign(body, ...entry.chat.ignored_parameters.map(field => ({ [field]: undefined })))
}

/** What vendors refuse although it says nothing: empty tools, a choice without tools, empty stop sequences. */
function dropEmpty(body: ChatRequest): void {
  if (!body.tools || body.tools.length === 0) {
    body.tools = undefined
    body.tool_choice = undefined
    body.parallel_tool_calls = undefined
  }
  const stops = [body.stop ?? []].flat().filter(stop => stop !== '')
  if (stops.length === 0) body.stop = undefined
  else if (Array.isArray(body.stop)) body.stop = stops
}
