import { isRecord } from '../../../../platform/is-record.ts'
import type {
  OutputApplyPatchCall,
  OutputCustomCall,
  OutputLocalShellCall,
  OutputShellCall,
} from '../../../../schema/wire/responses/output.ts'
import type { CustomTool, FunctionTool } from '../../../../schema/wire/responses/request.ts'

/**
 * Tools that the client runs, and that are no functions. Each is told to the vendor as a function that stands for it;
 * what the vendor calls comes back as a call of the tool, and goes into the history as a call of the function again.
 */
export type StandInKind = 'custom' | 'local_shell' | 'shell' | 'apply_patch'

/** A call as the client reads it, without what every call has: its ids and how it ended. */
export type CallOfKind =
  | Pick<OutputCustomCall, 'type' | 'input'>
  | Pick<OutputLocalShellCall, 'type' | 'action'>
  | Pick<OutputShellCall, 'type' | 'action' | 'environment'>
  | Pick<OutputApplyPatchCall, 'type' | 'operation'>

/** What the ids of the calls of each kind begin with. */
export const idPrefixes = { custom: 'ctc', local_shell: 'lsh', shell: 'sh', apply_patch: 'apc' } as const

const text = (description: string) => ({ type: 'string', description })
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
const count = (description: string) => ({ type: 'integer', description })
const objectOf = (properties: Record<string, object>, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** The functions that stand for tools whose shape is fixed. */
export const standIns: Record<Exclude<StandInKind, 'custom'>, FunctionTool> = {
  local_shell: {
    name: 'local_shell',
    description: 'Runs one command on the machine of the user, without a shell around it.',
    parameters: objectOf(
      {
        command: texts('The program and its arguments, one by one.'),
        env: {
          type: 'object',
          description: 'Environment variables.',
          additionalProperties: { type: 'string' },
        },
        working_directory: text('Where to run it.'),
        timeout_ms: count('How long it may take, in milliseconds.'),
        user: text('The user to run it as.'),
      },
      ['command'],
    ),
  },
  shell: {
    name: 'shell',
    description: 'Runs shell commands on the machine of the user, at the same time.',
    parameters: objectOf(
      {
        commands: texts('The commands.'),
        timeout_ms: count('How long each may take, in milliseconds.'),
        max_output_length: count('How many characters of what they print are wanted.'),
      },
      ['commands'],
    ),
  },
  apply_patch: {
    name: 'apply_patch',
    description: 'Creates, changes or deletes a file.',
    parameters: objectOf(
      {
        operation: objectOf(
          {
            type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
            path: text('The file, relative to the workspace.'),
            diff: text('The change as a V4A diff; not for delete_file.'),
          },
          ['type', 'path'],
        ),
      },
      ['operation'],
    ),
  },
}

/** The function that stands for a tool that takes free text. A grammar can only be told to the model, not enforced. */
export function standInForCustom({ name, description, format }: CustomTool): FunctionTool {
  const { syntax, definition } = format ?? {}
  const grammar = definition ? `The input must fit this ${syntax ?? ''} grammar:\n${definition}` : undefined
  return {
    name,
    description: [description, grammar].filter(Boolean).join('\n\n') || null,
    parameters: objectOf({ input: text('The input of the tool, as plain text.') }, ['input']),
  }
}

/** What the vendor called, as a call of the tool. Arguments that a limit cut, or that do not fit, are read as far as they go. */
export function readCall(kind: StandInKind, argumentsText: string): CallOfKind {
  const args = parse(argumentsText)
  switch (kind) {
    case 'custom':
      return { type: 'custom_tool_call', input: typeof args.input === 'string' ? args.input : argumentsText }
    case 'local_shell':
      return {
        type: 'local_shell_call',
        action: {
          type: 'exec',
          command: textsOf(args.command),
          env: envOf(args.env),
          timeout_ms: countOf(args.timeout_ms),
          user: textOf(args.user) ?? null,
          working_directory: textOf(args.working_directory) ?? null,
        },
      }
    case 'shell': {
      const { commands, timeout_ms, max_output_length } = args
      const limits = { timeout_ms: countOf(timeout_ms), max_output_length: countOf(max_output_length) }
      return {
        type: 'shell_call',
        action: { commands: textsOf(commands), ...limits },
        environment: { type: 'local' },
      }
    }
    case 'apply_patch':
      return {
        type: 'apply_patch_call',
        operation: operationOf(isRecord(args.operation) ? args.operation : args),
      }
  }
}

function operationOf({ type, path, diff }: Record<string, unknown>): OutputApplyPatchCall['operation'] {
  const at = textOf(path) ?? ''
  if (type === 'delete_file') return { type, path: at }
  return { type: type === 'create_file' ? type : 'update_file', path: at, diff: textOf(diff) ?? '' }
}

function parse(argumentsText: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(argumentsText)
    return isRecord(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function envOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, word]) =>
      typeof word === 'string' ? [[name, word] as const] : [],
    ),
  )
}
