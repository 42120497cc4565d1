import { type Static, Type } from 'typebox'
import { closed } from '../shapes.ts'

/**
 * What a response answers: items, and the parts of a message (contract: Responses-protocol response).
 * These lists have nothing in them, but clients need them to be there.
 */
export const nothing = Type.Array(Type.Never(), { maxItems: 0 })

export const OutputText = Type.Object(
  { type: Type.Literal('output_text'), text: Type.String(), annotations: nothing, logprobs: nothing },
  closed,
)

export const OutputRefusal = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }, closed)

export const OutputPart = Type.Union([OutputText, OutputRefusal])

const ItemStatus = Type.Enum(['in_progress', 'completed', 'incomplete'])

export const OutputMessage = Type.Object(
  {
    type: Type.Literal('message'),
    id: Type.String({ pattern: '^msg_' }),
    status: ItemStatus,
    role: Type.Literal('assistant'),
    content: Type.Array(OutputPart),
  },
  closed,
)

export const OutputFunctionCall = Type.Object(
  {
    type: Type.Literal('function_call'),
    id: Type.String({ pattern: '^fc_' }),
    status: ItemStatus,
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    arguments: Type.String(),
    /** Only of a function that was offered in one. */
    namespace: Type.Optional(Type.String()),
  },
  closed,
)

export const OutputItem = Type.Union([OutputMessage, OutputFunctionCall])

export type OutputPart = Static<typeof OutputPart>
export type OutputMessage = Static<typeof OutputMessage>
export type OutputFunctionCall = Static<typeof OutputFunctionCall>
export type OutputItem = Static<typeof OutputItem>
