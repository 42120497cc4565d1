import { type Static, Type } from 'typebox'
import { efforts } from '../../catalog/chat-flags.ts'
import { chatBounds } from '../chat.ts'
import { open, optional } from '../shapes.ts'

/**
 * Requests of `POST /v1/responses`. The request's schema declares only the `type` of input items, content parts, tools
 * and formats. Each type has its own schema, which is checked when it is parsed, so that an error names the exact
 * field. Undeclared fields are accepted and ignored.
 */

/** An item, part, tool or format of any type. */
export const Typed = Type.Object({ type: Type.String() }, open)

export const ResponsesRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    input: Type.Union([
      Type.String(),
      Type.Array(Type.Object({ type: Type.Optional(Type.String()) }, open), {
        minItems: 1,
        maxItems: chatBounds.messages + chatBounds.calls,
      }),
    ]),
    instructions: optional(Type.String()),
    max_output_tokens: optional(Type.Integer({ minimum: 1 })),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    stream: optional(Type.Boolean()),
    store: optional(Type.Boolean()),
    tools: optional(Type.Array(Typed, { maxItems: chatBounds.tools })),
    tool_choice: optional(Type.Union([Type.Enum(['auto', 'none', 'required']), Typed])),
    parallel_tool_calls: optional(Type.Boolean()),
    include: optional(Type.Array(Type.String())),
    top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
    text: optional(
      Type.Object(
        { format: optional(Typed), verbosity: optional(Type.Enum(['low', 'medium', 'high'])) },
        open,
      ),
    ),
    reasoning: optional(Type.Object({ effort: optional(Type.Enum([...efforts])) }, open)),
    metadata: optional(Type.Record(Type.String(), Type.String())),
    prompt_cache_key: optional(Type.String({ maxLength: 512 })),
    safety_identifier: optional(Type.String({ maxLength: 512 })),
    user: optional(Type.String({ maxLength: 512 })),
  },
  open,
)

/** An item of type `message`, which is also the default. */
export const MessageItem = Type.Object(
  {
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: Type.Union([Type.String(), Type.Array(Typed)]),
  },
  open,
)

export const FunctionCallItem = Type.Object(
  {
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    arguments: Type.String(),
    namespace: optional(Type.String()),
  },
  open,
)

export const FunctionCallOutputItem = Type.Object(
  {
    call_id: Type.String({ minLength: 1 }),
    output: Type.Union([Type.String(), Type.Array(Typed)]),
  },
  open,
)

/** A `function_call_output` without a call: agents report events with it, by the tool's name. */
export const OutputWithoutCallItem = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    namespace: optional(Type.String()),
    output: Type.Union([Type.String(), Type.Array(Typed)]),
  },
  open,
)

/** `agent_message`: from one agent to another. */
export const AgentMessageItem = Type.Object({ content: Type.Union([Type.String(), Type.Array(Typed)]) }, open)

/** `input_text`, `output_text`, `text`. */
export const TextContent = Type.Object({ text: Type.String() }, open)

export const RefusalContent = Type.Object({ refusal: Type.String() }, open)

/** `encrypted_content` of an `agent_message`: plain text, unless OpenAI wrote it. */
export const EncryptedContent = Type.Object({ encrypted_content: Type.String() }, open)

/** `input_image`. Its URL is a string, as in this protocol, or an object, as in chat completions. */
export const ImageContent = Type.Object(
  {
    image_url: optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Object({ url: Type.String({ minLength: 1 }) }, open)]),
    ),
    detail: optional(Type.String()),
  },
  open,
)

/** `input_file`: a data URI, a URL, or the id of a file that the vendor stores. */
export const FileContent = Type.Object(
  {
    file_data: optional(Type.String({ minLength: 1 })),
    file_url: optional(Type.String({ minLength: 1 })),
    file_id: optional(Type.String({ minLength: 1 })),
    filename: optional(Type.String()),
  },
  open,
)

export const AudioContent = Type.Object(
  { input_audio: Type.Object({ data: Type.String(), format: Type.String() }, open) },
  open,
)

export const FunctionTool = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    description: optional(Type.String()),
    parameters: optional(Type.Record(Type.String(), Type.Unknown())),
    strict: optional(Type.Boolean()),
  },
  open,
)

/** A tool that takes free text, which a grammar may describe. */
export const CustomTool = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    description: optional(Type.String()),
    format: optional(
      Type.Object(
        { type: Type.String(), syntax: optional(Type.String()), definition: optional(Type.String()) },
        open,
      ),
    ),
  },
  open,
)

/** `shell`: run by the client, unless `environment` is a container of OpenAI's. */
export const ShellTool = Type.Object({ environment: optional(Typed) }, open)

export const CustomCallItem = Type.Object(
  {
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    input: Type.String(),
    namespace: optional(Type.String()),
  },
  open,
)

/** `local_shell_call` and `shell_call`. */
export const ShellCallItem = Type.Object(
  {
    call_id: Type.String({ minLength: 1 }),
    id: optional(Type.String()),
    action: Type.Record(Type.String(), Type.Unknown()),
    environment: optional(Typed),
  },
  open,
)

export const ApplyPatchCallItem = Type.Object(
  { call_id: Type.String({ minLength: 1 }), operation: Type.Record(Type.String(), Type.Unknown()) },
  open,
)

/** Refers to its call by `id`, as in OpenAI's schema, or by `call_id`, as agents do. */
export const LocalShellOutputItem = Type.Object(
  { id: optional(Type.String()), call_id: optional(Type.String()), output: Type.String() },
  open,
)

export const ShellOutputItem = Type.Object(
  { call_id: Type.String({ minLength: 1 }), output: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
  open,
)

export const ApplyPatchOutputItem = Type.Object(
  { call_id: Type.String({ minLength: 1 }), status: Type.String(), output: optional(Type.String()) },
  open,
)

/** A group of functions with a common namespace. */
export const NamespaceTool = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    description: optional(Type.String()),
    tools: Type.Array(Typed, { maxItems: chatBounds.tools }),
  },
  open,
)

export const FunctionChoice = Type.Object(
  { name: Type.String({ minLength: 1 }), namespace: optional(Type.String()) },
  open,
)

export const AllowedToolsChoice = Type.Object(
  { mode: Type.Enum(['auto', 'required']), tools: Type.Array(Typed, { maxItems: chatBounds.tools }) },
  open,
)

export const JsonSchemaFormat = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    schema: Type.Record(Type.String(), Type.Unknown()),
    description: optional(Type.String()),
    strict: optional(Type.Boolean()),
  },
  open,
)

export type Typed = Static<typeof Typed>
export type ResponsesRequest = Static<typeof ResponsesRequest>
export type MessageItem = Static<typeof MessageItem>
export type FunctionCallItem = Static<typeof FunctionCallItem>
export type FunctionCallOutputItem = Static<typeof FunctionCallOutputItem>
export type ImageContent = Static<typeof ImageContent>
export type FunctionTool = Static<typeof FunctionTool>
export type CustomTool = Static<typeof CustomTool>
export type NamespaceTool = Static<typeof NamespaceTool>
export type JsonSchemaFormat = Static<typeof JsonSchemaFormat>
