import type { ResponseBody } from '../../../../schema/wire/responses/response.ts'
import type { RequestIdentity } from '../../protocol.ts'
import type { Asked } from '../request/read-asked.ts'
import { echoChoice, echoTools } from '../tools/echo-tools.ts'

/**
 * A response that has just begun: what was asked, echoed, and nothing answered. Its id is the request's, so that it
 * can be found in the log. Numbers that the client did not name are those that models take for them.
 */
export function beginResponse(asked: Asked, { requestId, startedAt }: RequestIdentity): ResponseBody {
  const { fields } = asked
  return {
    id: `resp_${rootOf(requestId)}`,
    object: 'response',
    created_at: Math.floor(startedAt / 1000),
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: fields.model,
    output: [],
    usage: null,
    ...echoOf(asked),
    ...sameForAll,
  }
}

/** A request's id without its prefix: what everything in its response is named after. */
export function rootOf(requestId: string): string {
  return requestId.replace(/^req_/, '')
}

function echoOf({ fields, offers, choice, format }: Asked) {
  const verbosity = fields.text?.verbosity
  return {
    instructions: fields.instructions ?? null,
    tools: echoTools(offers),
    tool_choice: echoChoice(choice),
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

/** Nothing is stored, nothing runs in the background. */
const sameForAll = {
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
