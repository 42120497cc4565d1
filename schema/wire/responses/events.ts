import { type Static, type TProperties, Type } from 'typebox'
import { closed, nullable } from '../shapes.ts'
import { OutputItem, OutputLogprob, OutputPart } from './output.ts'
import { ResponseBody } from './response.ts'

/** One event of a streamed response; `sequence_number` counts from 0 (contract: Events, Responses stream events). */
const event = <Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), sequence_number: Type.Integer({ minimum: 0 }), ...fields }, closed)

const logprobs = Type.Array(OutputLogprob)
const index = Type.Integer({ minimum: 0 })
const ofItem = { item_id: Type.String(), output_index: index }
const ofPart = { ...ofItem, content_index: index }
const failure = { code: nullable(Type.String()), message: Type.String(), param: nullable(Type.String()) }

export const ResponseEvent = Type.Union([
  event('response.created', { response: ResponseBody }),
  event('response.in_progress', { response: ResponseBody }),
  event('response.output_item.added', { output_index: index, item: OutputItem }),
  event('response.content_part.added', { ...ofPart, part: OutputPart }),
  event('response.output_text.delta', { ...ofPart, delta: Type.String(), logprobs }),
  event('response.output_text.done', { ...ofPart, text: Type.String(), logprobs }),
  event('response.refusal.delta', { ...ofPart, delta: Type.String() }),
  event('response.refusal.done', { ...ofPart, refusal: Type.String() }),
  event('response.content_part.done', { ...ofPart, part: OutputPart }),
  event('response.function_call_arguments.delta', { ...ofItem, delta: Type.String() }),
  event('response.function_call_arguments.done', {
    ...ofItem,
    name: Type.String(),
    arguments: Type.String(),
  }),
  event('response.custom_tool_call_input.delta', { ...ofItem, delta: Type.String() }),
  event('response.custom_tool_call_input.done', { ...ofItem, input: Type.String() }),
  event('response.output_item.done', { output_index: index, item: OutputItem }),
  event('response.completed', { response: ResponseBody }),
  event('response.incomplete', { response: ResponseBody }),
  event('response.failed', { response: ResponseBody }),
  // Some clients read the fields of a failure here, some in `error`.
  event('error', { ...failure, error: Type.Object({ type: Type.String(), ...failure }, closed) }),
])

export type ResponseEvent = Static<typeof ResponseEvent>
