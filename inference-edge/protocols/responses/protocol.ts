import { readMetadata } from '../../../domain/logs/request-metadata.ts'
import type { Problem } from '../../../schema/errors.ts'
import { type ParamNames, renameParamOf } from '../param-names.ts'
import { idSuffixOf, type Protocol, type RequestIdentity } from '../protocol.ts'
import { readAnswer } from './answer.ts'
import { type OutputContext, presentOutput } from './output.ts'
import { buildChatRequest, parseRequest } from './request.ts'
import { beginResponse, endingOf, endResponse } from './response.ts'
import { openPresenter } from './stream.ts'
import type { OfferedFunction } from './tools.ts'

/** `POST /v1/responses`: stateless, for every chat model (docs/behaviour.md, Responses). */
export const responses: Protocol = {
  route: 'responses',
  read(body) {
    const parsed = parseRequest(body)
    const paramNames = openParamNames()
    const request = buildChatRequest(parsed, paramNames)
    const renameParam = (problem: Problem) => renameParamOf(problem, paramNames, flattenRest)
    const contextOf = ({ requestId }: RequestIdentity): OutputContext => ({
      idSuffix: idSuffixOf(requestId),
      toolNames: parsed.toolNames,
    })
    return {
      request,
      metadata: readMetadata(parsed.fields.metadata),
      addedBytes: bytesOfEmulated(parsed.functions),
      renameParam,
      presentWhole(completion, usage, identity) {
        const answer = readAnswer(completion)
        const output = presentOutput(answer, contextOf(identity), endingOf(answer).status)
        return endResponse(beginResponse(parsed, identity), { answer, output, usage })
      },
      openPresenter: identity =>
        openPresenter(beginResponse(parsed, identity), { context: contextOf(identity), renameParam }),
    }
  },
}

/** The parameter names that are the same for every request. Messages and tools are added during their translation. */
function openParamNames(): ParamNames {
  return new Map([
    ['max_tokens', 'max_output_tokens'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['messages', 'input'],
    ['reasoning_effort', 'reasoning.effort'],
    ['response_format', 'text.format'],
    ['tool_choice', 'tool_choice'],
    ['verbosity', 'text.verbosity'],
    ['logprobs', 'include'],
    ['top_logprobs', 'top_logprobs'],
  ])
}

/** Fields that chat completions nests in an object are flat in this protocol. */
function flattenRest(rest: string): string {
  return rest
    .replace(/^\.(function|json_schema|allowed_tools)(?=\.|$)/, '')
    .replace(/\.image_url\.url$/, '.image_url')
    .replace(/\.file(?=\.file_(data|url)$)/, '')
    .replace(/^\.tool_call_id$/, '.call_id')
}

/**
 * Returns the bytes that emulating functions add to the request: the client sent little more than the type of these
 * tools.
 */
function bytesOfEmulated(functions: OfferedFunction[]): number {
  let bytes = 0
  for (const { kind, definition } of functions) {
    if (kind !== 'function') bytes += Buffer.byteLength(JSON.stringify(definition))
  }
  return bytes
}
