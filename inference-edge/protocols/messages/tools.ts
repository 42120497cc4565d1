import { openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { ChatRequest, Tool } from '../../../schema/wire/chat.ts'
import { type AnyTool, ClientTool, type MessagesRequest } from '../../../schema/wire/messages.ts'
import type { ParamNames } from '../param-names.ts'
import { cacheControlOf } from './content.ts'

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>

const checkClientTool = openCheck(ClientTool)

/**
 * Translates the tools and `tool_choice`. Tools that run at Anthropic, such as web search, are dropped. Client-side
 * tools that Anthropic defines are dropped too, except the two that functions emulate. Adds each tool's path in the
 * request to `paramNames`. Throws `unsupported_parameter` if `tool_choice` forces a dropped tool, and `invalid_request`
 * if it forces a tool that is not in `tools`.
 */
export function buildTools(
  { tools, tool_choice: choice }: MessagesRequest,
  paramNames: ParamNames,
): ToolFields {
  const offered: Tool[] = []
  const dropped = new Set<string>()
  for (const [index, tool] of (tools ?? []).entries()) {
    const path = `tools[${index}]`
    const built = buildTool(tool, path)
    if (built) paramNames.set(`tools[${offered.push(built) - 1}]`, path)
    else dropped.add(tool.name ?? tool.type ?? '')
  }
  if (choice?.type === 'tool') requireOffered(choice.name, { offered, dropped })
  if (choice?.type === 'any' && offered.length === 0 && dropped.size > 0) throw refuseDropped('any')
  if (offered.length === 0) return {}
  const isSerial = choice?.disable_parallel_tool_use === true
  return {
    tools: offered,
    ...(choice && { tool_choice: buildChoice(choice) }),
    ...(isSerial && { parallel_tool_calls: false }),
  }
}

/**
 * Returns the bytes that emulating functions add to the request: the client sent little more than the type of these
 * tools.
 */
export function bytesOfEmulated(tools: MessagesRequest['tools']): number {
  let bytes = 0
  for (const tool of tools ?? []) bytes += emulationOf(tool)?.bytes ?? 0
  return bytes
}

function buildTool(tool: AnyTool, path: string): Tool | undefined {
  if (tool.type && tool.type !== 'custom') return emulationOf(tool)?.tool
  const { name, description, input_schema, strict, cache_control } = checkClientTool(tool, path)
  return {
    type: 'function',
    function: {
      name,
      ...(description && { description }),
      parameters: input_schema,
      ...(strict != null && { strict }),
    },
    ...cacheControlOf(cache_control),
  }
}

function emulationOf({ type }: AnyTool) {
  return type ? emulations.find(({ pattern }) => pattern.test(type)) : undefined
}

function buildChoice({ type, name }: NonNullable<MessagesRequest['tool_choice']>) {
  if (type === 'tool') return { type: 'function', function: { name } }
  return type === 'any' ? 'required' : type
}

function requireOffered(
  name: string | null | undefined,
  { offered, dropped }: { offered: Tool[]; dropped: Set<string> },
): void {
  if (!name) {
    throw new Problem('missing_parameter', {
      param: 'tool_choice.name',
      message: 'tool_choice.name is required.',
    })
  }
  if (offered.some(tool => tool.function?.name === name)) return
  if (dropped.has(name)) throw refuseDropped(name)
  throw invalidParam('tool_choice.name', `is not among the tools: ${name}`)
}

function refuseDropped(what: string): Problem {
  return new Problem('unsupported_parameter', {
    param: 'tool_choice',
    message: `tool_choice ${what} forces a tool that only its own vendor runs. Add tools with a name and an input_schema.`,
  })
}

const text = (description: string) => ({ type: 'string', description })

/** Tools whose schema Anthropic's models know by training. Other models get the schema. */
const emulatedTools: { pattern: RegExp; tool: Tool }[] = [
  {
    pattern: /^bash_\d+$/,
    tool: {
      type: 'function',
      function: {
        name: 'bash',
        description: 'Runs a command in a persistent bash session and returns its output.',
        parameters: {
          type: 'object',
          properties: {
            command: text('The command to run.'),
            restart: {
              type: 'boolean',
              description: 'Whether to restart the session. If true, command is not needed.',
            },
          },
        },
      },
    },
  },
  {
    pattern: /^text_editor_\d+$/,
    tool: {
      type: 'function',
      function: {
        name: 'str_replace_based_edit_tool',
        description: 'Views, creates and edits text files.',
        parameters: {
          type: 'object',
          properties: {
            command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
            path: text('The absolute path of the file or folder.'),
            file_text: text('For create: the whole text of the file.'),
            old_str: text('For str_replace: the text to be replaced, which must occur once.'),
            new_str: text('For str_replace: the replacement.'),
            insert_line: {
              type: 'integer',
              description: 'For insert: the line after which to insert, 0 is the start.',
            },
            insert_text: text('For insert: the text to insert.'),
            view_range: {
              type: 'array',
              items: { type: 'integer' },
              description: 'For view: the first and the last line; -1 is the end.',
            },
          },
          required: ['command', 'path'],
        },
      },
    },
  },
]

const emulations = emulatedTools.map(each => ({ ...each, bytes: JSON.stringify(each.tool).length }))
