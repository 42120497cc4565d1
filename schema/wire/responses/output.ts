import { type Static, Type } from 'typebox'
import { closed, nullable } from '../shapes.ts'

/** A list that is always empty, but that clients require. */
const emptyList = Type.Array(Type.Never(), { maxItems: 0 })

const rank = { token: Type.String(), logprob: Type.Number(), bytes: Type.Array(Type.Integer()) }

/** The log probabilities of a token and of its alternatives, if the client requested them. */
export const OutputLogprob = Type.Object(
  { ...rank, top_logprobs: Type.Array(Type.Object(rank, closed)) },
  closed,
)

export const OutputText = Type.Object(
  {
    type: Type.Literal('output_text'),
    text: Type.String(),
    annotations: emptyList,
    logprobs: Type.Array(OutputLogprob),
  },
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
    /** The namespace, for a function that was declared in one. */
    namespace: Type.Optional(Type.String()),
  },
  closed,
)

const callFields = { status: ItemStatus, call_id: Type.String({ minLength: 1 }) }
const limit = nullable(Type.Integer({ minimum: 0 }))

/** A call of a custom tool, which takes free text. */
export const OutputCustomCall = Type.Object(
  {
    type: Type.Literal('custom_tool_call'),
    id: Type.String({ pattern: '^ctc_' }),
    ...callFields,
    name: Type.String({ minLength: 1 }),
    input: Type.String(),
    namespace: Type.Optional(Type.String()),
  },
  closed,
)

export const OutputLocalShellCall = Type.Object(
  {
    type: Type.Literal('local_shell_call'),
    id: Type.String({ pattern: '^lsh_' }),
    ...callFields,
    action: Type.Object(
      {
        type: Type.Literal('exec'),
        command: Type.Array(Type.String()),
        env: Type.Record(Type.String(), Type.String()),
        timeout_ms: limit,
        user: nullable(Type.String()),
        working_directory: nullable(Type.String()),
      },
      closed,
    ),
  },
  closed,
)

export const OutputShellCall = Type.Object(
  {
    type: Type.Literal('shell_call'),
    id: Type.String({ pattern: '^sh_' }),
    ...callFields,
    action: Type.Object(
      { commands: Type.Array(Type.String()), timeout_ms: limit, max_output_length: limit },
      closed,
    ),
    environment: Type.Object({ type: Type.Literal('local') }, closed),
  },
  closed,
)

const fileChange = (type: 'create_file' | 'update_file') =>
  Type.Object({ type: Type.Literal(type), path: Type.String(), diff: Type.String() }, closed)

export const OutputApplyPatchCall = Type.Object(
  {
    type: Type.Literal('apply_patch_call'),
    id: Type.String({ pattern: '^apc_' }),
    ...callFields,
    /** Calls of this type cannot be `incomplete`. */
    status: Type.Enum(['in_progress', 'completed']),
    operation: Type.Union([
      fileChange('create_file'),
      fileChange('update_file'),
      Type.Object({ type: Type.Literal('delete_file'), path: Type.String() }, closed),
    ]),
  },
  closed,
)

export const OutputItem = Type.Union([
  OutputMessage,
  OutputFunctionCall,
  OutputCustomCall,
  OutputLocalShellCall,
  OutputShellCall,
  OutputApplyPatchCall,
])

export type OutputLogprob = Static<typeof OutputLogprob>
export type OutputPart = Static<typeof OutputPart>
export type OutputMessage = Static<typeof OutputMessage>
export type OutputFunctionCall = Static<typeof OutputFunctionCall>
export type OutputCustomCall = Static<typeof OutputCustomCall>
export type OutputLocalShellCall = Static<typeof OutputLocalShellCall>
export type OutputShellCall = Static<typeof OutputShellCall>
export type OutputApplyPatchCall = Static<typeof OutputApplyPatchCall>
export type OutputCall = Exclude<OutputItem, OutputMessage>
export type OutputItem = Static<typeof OutputItem>
