import { memo } from '../../../platform/memo.ts'
import type { ChatCall, Target } from '../../chat-adapter.ts'
import { azureDeployment } from '../../clouds/azure/azure-deployment.ts'
import type { UpstreamRequest } from '../../http/exchange.ts'
import { translateRequest } from './request/translate-request.ts'

/**
 * The request as the vendor wants it, under its name of the model, or that of the deployment where the credential is
 * one of Azure. Throws Problem, naming the parameter, for what the vendor cannot do.
 */
export function buildRequest(call: ChatCall, target: Target): UpstreamRequest {
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
    body: JSON.stringify(translateRequest(call, target, azure?.name ?? call.entry.upstream.model)),
  }
}

const locateChat = memo(1_000, baseUrl => {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname === '/' ? '' : pathname}/chat/completions` }
})
