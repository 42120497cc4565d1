import { errorCatalogue, type Problem } from '../../../../schema/errors.ts'
import type { Usage } from '../../../../schema/usage.ts'
import type { OutputItem } from '../../../../schema/wire/responses/output.ts'
import type {
  ResponseBody,
  ResponseError,
  ResponseUsage,
} from '../../../../schema/wire/responses/response.ts'
import type { Answer } from './collect-answer.ts'

/** Why an answer is not whole, by the vendor's finish reason; every other reason ends a whole one. */
const incompleteReasons = new Map<string | null, 'max_output_tokens' | 'content_filter'>([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
])

/**
 * How an answer ended: `completed`, or `incomplete` and why. A refusal that says something is an answer, as OpenAI's
 * are: there are clients that throw away what is incomplete.
 */
export function endingOf({
  finishReason,
  said,
}: Answer): Pick<ResponseBody, 'status' | 'incomplete_details'> {
  const isRefusal = finishReason === 'content_filter' && said.some(({ kind }) => kind === 'refusal')
  const reason = isRefusal ? undefined : incompleteReasons.get(finishReason)
  return reason
    ? { status: 'incomplete', incomplete_details: { reason } }
    : { status: 'completed', incomplete_details: null }
}

/** A response whose answer has ended and whose charge is known. */
export function endResponse(
  begun: ResponseBody,
  { answer, output, usage }: { answer: Answer; output: OutputItem[]; usage: Usage },
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

/** A response whose answer broke: what was said so far, and why there is no more. */
export function failResponse(
  begun: ResponseBody,
  { problem, output }: { problem: Problem; output: OutputItem[] },
): ResponseBody {
  return { ...begun, status: 'failed', error: { code: codeOf(problem), message: problem.message }, output }
}

/** Both details are always there, zeros included (README: usage on a stream). */
function presentUsage(usage: Usage): ResponseUsage {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheCreationTokens,
    },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  }
}

const codes: Partial<Record<string, ResponseError['code']>> = {
  insufficient_quota: 'insufficient_quota',
  invalid_request_error: 'invalid_prompt',
  rate_limit_error: 'rate_limit_exceeded',
}

/** The protocol knows few codes. */
function codeOf({ errorName }: Problem): ResponseError['code'] {
  if (errorName === 'context_length_exceeded') return errorName
  return codes[errorCatalogue[errorName].type] ?? 'server_error'
}
