import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { ChatCall, Target } from '../chat-adapter.ts'
import type { UpstreamRequest } from '../http/exchange.ts'
import { stripSignatures } from '../signatures/strip-signatures.ts'
import { azureDeployment } from './azure-deployment.ts'

/**
 * The request as the vendor wants it: the client's own fields, unknown ones included, under the vendor's model name,
 * or that of the deployment where the credential is one of Azure.
 */
export function buildRequest(call: ChatCall, target: Target): UpstreamRequest {
  const azure = azureDeployment(call, target)
  const { origin, path } = azure ?? locateChat(target)
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
    body: JSON.stringify(bodyOf(call, azure?.name ?? call.entry.upstream.model)),
  }
}

function locateChat({ baseUrl }: Target): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname === '/' ? '' : pathname}/chat/completions` }
}

function bodyOf({ entry, request, outputTokens, cacheToken }: ChatCall, model: string): ChatRequest {
  const messages = stripSignatures(request.messages)
  const body: ChatRequest = { ...request, model, messages, prompt_cache_key: cacheToken }
  delete body.max_tokens
  delete body.max_completion_tokens
  body[entry.chat.output_limit_field === 'max_tokens' ? 'max_tokens' : 'max_completion_tokens'] = outputTokens
  if (request.stream) body.stream_options = { ...request.stream_options, include_usage: true }
  else delete body.stream_options
  dropEmpty(body)
  if (!entry.chat.sampling) {
    delete body.temperature
    delete body.top_p
  }
  for (const field of entry.chat.ignored_parameters) delete body[field as keyof ChatRequest]
  return body
}

/** What vendors refuse although it says nothing: empty tools, a choice without tools, empty stop sequences. */
function dropEmpty(body: ChatRequest): void {
  if (!body.tools || body.tools.length === 0) {
    delete body.tools
    delete body.tool_choice
    delete body.parallel_tool_calls
  }
  const stops = [body.stop ?? []].flat().filter(stop => stop !== '')
  if (stops.length === 0) delete body.stop
  else if (Array.isArray(body.stop)) body.stop = stops
}
