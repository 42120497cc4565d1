import { allowedModels, requireModel } from '../../domain/inference/allowed-models.ts'
import { scale } from '../../domain/inference/estimate-usage.ts'
import { countPrompt } from '../../domain/inference/tokens/prompt-tokens.ts'
import { problemIn } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { countRequest, failCounted } from '../pipeline/count-request.ts'
import { identifyCaller } from '../pipeline/identify-caller.ts'
import { receiveBody } from '../pipeline/receive-body.ts'
import { RequestShare } from '../pipeline/request-share.ts'
import { messages } from '../protocols/messages/protocol.ts'

/**
 * `POST /v1/messages/count_tokens`: returns the number of tokens of a prompt with its system, tools and images. It calls no
 * vendor and charges nothing, but counts as a request in the windows of the key.
 */
export async function countTokens(edge: Edge, ctx: EdgeContext): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  using share = new RequestShare(edge.accounts, key)
  ctx.state.share = share
  try {
    const { json } = await receiveBody(edge, ctx, { key, share })
    const { request, renameParam } = messages.read(json)
    try {
      const { models } = edge.inference
      const model = models.chat(request.model)
      const { entry } = model
      const allowed = await countRequest(edge, ctx, key)
      const [route] = allowedModels(edge.inference, allowed.key, models.routes(model))
      requireModel(edge.inference, allowed.key, (route ?? model).entry)
      ctx.state.record.model = entry.model
      const tokens = await countPrompt(edge.inference.tokenizer, request, { isPatient: true })
      ctx.body = { input_tokens: scale(entry, tokens) }
    } catch (error) {
      throw renameParam(problemIn(error))
    }
  } catch (error) {
    return await failCounted(edge, ctx, { key, error })
  }
}
