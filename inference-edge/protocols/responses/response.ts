import { dollars } from '../../../platform/money.ts'
import { errorCatalogue } from '../../../schema/error-catalogue.ts'
import type { Problem } from '../../../schema/errors.ts'
import type { ChargedUsage } from '../../../schema/usage.ts'
import type { OutputItem } from '../../../schema/wire/responses/output.ts'
import type { ResponseBody, ResponseError, ResponseUsage } from '../../../schema/wire/responses/response.ts'
import { idSuffixOf, type RequestIdentity } from '../protocol.ts'
import type { ModelAnswer } from './answer.ts'
import type { ParsedRequest } from './request.ts'
import { echoChoice } from './tool-choice.ts'
import { echoTools } from './tools.ts'

/**
 * Returns a response in progress: the request's parameters without any output. Its ID is derived from the request's, so
 * that it can be found in the log. Omitted parameters have the protocol's defaults.
 */
export function beginResponse(
  request: ParsedRequest,
  { requestId, startedAt }: RequestIdentity,
): ResponseBody {
  return {
    id: `resp_${idSuffixOf(requestId)}`,
    object: 'response',
    created_at: Math.floor(startedAt / 1000),
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: request.fields.model,
    output: [],
    usage: null,
    ...echoParameters(request),
    ...constants,
  }
}

function echoParameters({ fields, functions, toolChoice, format }: ParsedRequest) {
  const verbosity = fields.text?.verbosity
  return {
    instructions: fields.instructions ?? null,
    tools: echoTools(functions),
    tool_choice: echoChoice(toolChoice),
    parallel_tool_calls: fields.parallel_tool_calls ?? true,
    text: { format, ...(verbosity && { verbosity }) },
    reasoning: { effort: fields.reasoning?.effort ?? null, summary: null },
    max_output_tokens: fields.max_output_tokens ?? null,
    temperature: fields.temperature ?? 1,
    top_p: fields.top_p ?? 1,
    top_logprobs: fields.top_logprobs ?? 0,
    metadata: fields.metadata ?? {},
    prompt_cache_key: fields.prompt_cache_key ?? null,
    safety_identifier: fields.safety_identifier ?? null,
    ...(fields.user && { user: fields.user }),
  }
}

/** The fields of features that are not supported: nothing is stored or runs in the background. */
const constants = {
  access_programs: null,
  background: false,
  frequency_penalty: 0,
  max_tool_calls: null,
  presence_penalty: 0,
  previous_response_id: null,
  service_tier: 'default',
  store: false,
  truncation: 'disabled',
} as const

/** Returns the response of an answer that has ended. */
export function endResponse(
  begun: ResponseBody,
  { answer, output, usage }: { answer: ModelAnswer; output: OutputItem[]; usage: ChargedUsage },
): ResponseBody {
  return {
    ...begun,
    ...endingOf(answer),
    completed_at: Math.floor(Date.now() / 1000),
    model: answer.model,
    output,
    usage: presentUsage(usage),
  }
}

const incompleteReasons = new Map<string | null, 'max_output_tokens' | 'content_filter'>([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
])

/**
 * Returns the status of an answer: `completed`, or `incomplete` with the reason. A refusal with text is `completed`,
 * like OpenAI's, because some clients discard incomplete answers.
 */
export function endingOf({
  finishReason,
  parts,
}: ModelAnswer): Pick<ResponseBody, 'status' | 'incomplete_details'> {
  const isRefusal = finishReason === 'content_filter' && parts.some(({ kind }) => kind === 'refusal')
  const reason = isRefusal ? undefined : incompleteReasons.get(finishReason)
  return reason
    ? { status: 'incomplete', incomplete_details: { reason } }
    : { status: 'completed', incomplete_details: null }
}

function presentUsage(usage: ChargedUsage): ResponseUsage {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheCreationTokens,
    },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
    cost: dollars(usage.costNanos),
  }
}

/** Returns the response of a broken stream: the output so far, its usage if it is charged, and the error. */
export function failResponse(
  begun: ResponseBody,
  { problem, output, usage }: { problem: Problem; output: OutputItem[]; usage: ChargedUsage | undefined },
): ResponseBody {
  const error = { code: errorCodeOf(problem), message: problem.message }
  return { ...begun, status: 'failed', error, output, usage: usage ? presentUsage(usage) : null }
}

const errorCodes: Partial<Record<string, ResponseError['code']>> = {
  insufficient_quota: 'insufficient_quota',
  invalid_request_error: 'invalid_prompt',
  rate_limit_error: 'rate_limit_exceeded',
}

/** Returns the protocol's code of an error. The protocol has fewer codes than the error catalogue. */
function errorCodeOf({ errorName }: Problem): ResponseError['code'] {
  if (errorName === 'context_length_exceeded') return errorName
  return errorCodes[errorCatalogue[errorName].type] ?? 'server_error'
}
