import { scale } from '../../domain/inference/estimate-usage.ts'
import { countPrompt } from '../../domain/inference/tokens/prompt-tokens.ts'
import { problemIn } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { checkRates } from '../pipeline/count-request.ts'
import { identifyCaller } from '../pipeline/identify-caller.ts'
import { withBody } from '../pipeline/receive-body.ts'
import { messages } from '../protocols/messages/protocol.ts'

/**
 * `POST /v1/messages/count_tokens`: how many tokens a prompt has, its system, tools and images included. No vendor is
 * asked and nothing is charged; it counts as a request within the key's rates.
 */
export async function countTokens(edge: Edge, ctx: EdgeContext): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  await withBody(edge, ctx, key, async ({ json, allowed }) => {
    const { request, renameParam } = messages.read(json)
    try {
      const { entry } = edge.inference.models.chat(request.model)
      if (!allowed) await checkRates(edge, ctx, key)
      ctx.state.record.model = request.model
      const tokens = await countPrompt(edge.inference.tokenizer, request, { isPatient: true })
      ctx.body = { input_tokens: scale(entry, tokens) }
    } catch (error) {
      throw renameParam(problemIn(error))
    }
  })
}
