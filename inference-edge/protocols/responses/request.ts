import { boundCounts, openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { JsonSchemaFormat, ResponsesRequest } from '../../../schema/wire/responses/request.ts'
import type { EchoedFormat } from '../../../schema/wire/responses/response.ts'
import type { ParamNames } from '../param-names.ts'
import { refuseStoredTurns } from '../refuse-stored-turns.ts'
import { buildMessages } from './chat-messages.ts'
import { type InputItem, parseInput } from './input-items.ts'
import { buildToolChoice, parseToolChoice, type ToolChoice } from './tool-choice.ts'
import { nameTools, type ToolNames } from './tool-names.ts'
import { buildTools, type OfferedFunction, parseTools, toolNameOf } from './tools.ts'

const checkRequest = openCheck(ResponsesRequest)
const checkSchema = openCheck(JsonSchemaFormat)

/** A parsed request of the Responses protocol. Its response repeats the parameters. */
export interface ParsedRequest {
  fields: ResponsesRequest
  items: InputItem[]
  functions: OfferedFunction[]
  /** Undefined if the request has no functions or no choice. */
  toolChoice: ToolChoice | undefined
  format: EchoedFormat
  toolNames: ToolNames
}

/**
 * Parses a body. Throws `previous_response_not_found`, `unsupported_parameter`, `missing_parameter` or
 * `invalid_request`, which name the parameter in the client's notation.
 */
export function parseRequest(body: unknown): ParsedRequest {
  refuseStoredTurns(body)
  const fields = checkRequest(body)
  const functions = parseTools(fields.tools)
  return {
    fields,
    items: parseInput(fields.input),
    functions,
    toolChoice: parseToolChoice(fields.tool_choice, { functions, tools: fields.tools }),
    format: parseFormat(fields.text),
    toolNames: nameTools(functions.map(toolNameOf)),
  }
}

/**
 * Translates a request to the canonical chat format. Fields without a meaning there are dropped, and so is `metadata`,
 * which vendors accept only for responses that they store. Adds the names of messages and tools to `paramNames`. Throws
 * `invalid_request` if calls and outputs do not match, or if a list is too long.
 */
export function buildChatRequest(parsed: ParsedRequest, paramNames: ParamNames): ChatRequest {
  const { fields, functions, toolChoice, toolNames } = parsed
  const { instructions, text, reasoning } = fields
  const wantsLogprobs =
    fields.include?.includes('message.output_text.logprobs') || fields.top_logprobs != null
  const request: ChatRequest = {
    model: fields.model,
    messages: buildMessages(parsed.items, { instructions, toolNames, paramNames }),
    ...(wantsLogprobs && { logprobs: true, ...withoutNulls({ top_logprobs: fields.top_logprobs }) }),
    ...withoutNulls({
      stream: fields.stream,
      temperature: fields.temperature,
      top_p: fields.top_p,
      max_completion_tokens: fields.max_output_tokens,
      reasoning_effort: reasoning?.effort,
      verbosity: text?.verbosity,
      response_format: buildFormat(parsed.format),
      prompt_cache_key: fields.prompt_cache_key,
      safety_identifier: fields.safety_identifier,
      user: fields.user,
    }),
    ...(functions.length > 0 && {
      tools: buildTools(functions, { toolNames, paramNames }),
      ...withoutNulls({
        tool_choice: toolChoice && buildToolChoice(toolChoice, toolNames),
        parallel_tool_calls: fields.parallel_tool_calls,
      }),
    }),
  }
  boundCounts(request)
  return request
}

/** Parses `text.format`. Throws `invalid_request` for an unknown type. */
function parseFormat(text: ResponsesRequest['text']): EchoedFormat {
  const format = text?.format
  switch (format?.type) {
    case undefined:
    case 'text':
      return { type: 'text' }
    case 'json_object':
      return { type: 'json_object' }
    case 'json_schema': {
      const { name, schema, description, strict } = checkSchema(format, 'text.format')
      return {
        type: 'json_schema',
        name,
        schema,
        ...(description && { description }),
        strict: strict ?? null,
      }
    }
  }
  throw invalidParam('text.format.type', 'must be one of text, json_object, json_schema')
}

/** In chat completions a schema is nested in `json_schema`, and text is the default. */
function buildFormat(format: EchoedFormat): ChatRequest['response_format'] {
  if (format.type !== 'json_schema') return format.type === 'text' ? undefined : format
  const { type, strict, ...schema } = format
  const nested = { type, json_schema: { ...schema, ...(strict !== null && { strict }) } }
  return nested
}

function withoutNulls<Fields extends object>(fields: Fields): Partial<Fields> {
  const kept: Partial<Fields> = { ...fields }
  for (const name in kept) if (kept[name] == null) delete kept[name]
  return kept
}
