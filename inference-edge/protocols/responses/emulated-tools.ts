import { isRecord } from '../../../platform/checks.ts'
import type {
  OutputApplyPatchCall,
  OutputCustomCall,
  OutputLocalShellCall,
  OutputShellCall,
} from '../../../schema/wire/responses/output.ts'
import type { CustomTool, FunctionTool } from '../../../schema/wire/responses/request.ts'

/**
 * Kinds of client-side tools that are not functions. Chat models get a function in place of each. Their calls of the
 * function are presented as calls of the tool, and calls of the tool in the history become calls of the function.
 */
export type EmulatedKind = 'custom' | 'local_shell' | 'shell' | 'apply_patch'

/** A call of an emulated tool without the common fields of calls: IDs, status and name. */
export type EmulatedCall =
  | Pick<OutputCustomCall, 'type' | 'input'>
  | Pick<OutputLocalShellCall, 'type' | 'action'>
  | Pick<OutputShellCall, 'type' | 'action' | 'environment'>
  | Pick<OutputApplyPatchCall, 'type' | 'operation'>

/** The prefixes of the IDs of calls, like OpenAI's. */
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

/** The functions for tools whose parameters are fixed. */
export const functionsForTools: Record<Exclude<EmulatedKind, 'custom'>, FunctionTool> = {
  local_shell: {
    name: 'local_shell',
    description: 'Runs one command on the machine of the user, without a shell.',
    parameters: objectOf(
      {
        command: texts('The program and its arguments, as separate items.'),
        env: {
          type: 'object',
          description: 'Environment variables.',
          additionalProperties: { type: 'string' },
        },
        working_directory: text('The working directory.'),
        timeout_ms: count('The maximum duration, in milliseconds.'),
        user: text('The user as which to run it.'),
      },
      ['command'],
    ),
  },
  shell: {
    name: 'shell',
    description: 'Runs shell commands on the machine of the user in parallel.',
    parameters: objectOf(
      {
        commands: texts('The commands.'),
        timeout_ms: count('The maximum duration of each command, in milliseconds.'),
        max_output_length: count('The maximum number of output characters to return.'),
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

/**
 * Returns the function for a tool with free-text input. The tool's grammar is described to the model, but not enforced.
 */
export function functionForCustomTool({ name, description, format }: CustomTool): FunctionTool {
  const { syntax, definition } = format ?? {}
  const grammar = definition ? `The input must fit this ${syntax ?? ''} grammar:\n${definition}` : undefined
  return {
    name,
    description: [description, grammar].filter(Boolean).join('\n\n') || null,
    parameters: objectOf({ input: text('The input of the tool, as plain text.') }, ['input']),
  }
}

/**
 * Translates a call of the function to a call of the tool. Arguments that are cut or do not match the schema are read
 * as far as possible.
 */
export function parseEmulatedCall(kind: EmulatedKind, argumentsText: string): EmulatedCall {
  const args = parseArguments(argumentsText)
  switch (kind) {
    case 'custom':
      return { type: 'custom_tool_call', input: typeof args.input === 'string' ? args.input : argumentsText }
    case 'local_shell':
      return {
        type: 'local_shell_call',
        action: {
          type: 'exec',
          command: stringsIn(args.command),
          env: environmentIn(args.env),
          timeout_ms: countIn(args.timeout_ms),
          user: stringIn(args.user) ?? null,
          working_directory: stringIn(args.working_directory) ?? null,
        },
      }
    case 'shell': {
      const { commands, timeout_ms, max_output_length } = args
      const limits = { timeout_ms: countIn(timeout_ms), max_output_length: countIn(max_output_length) }
      return {
        type: 'shell_call',
        action: { commands: stringsIn(commands), ...limits },
        environment: { type: 'local' },
      }
    }
    case 'apply_patch':
      return {
        type: 'apply_patch_call',
        operation: patchOperation(isRecord(args.operation) ? args.operation : args),
      }
  }
}

function patchOperation({
  type,
  path: file,
  diff,
}: Record<string, unknown>): OutputApplyPatchCall['operation'] {
  const path = stringIn(file) ?? ''
  if (type === 'delete_file') return { type, path }
  return { type: type === 'create_file' ? type : 'update_file', path, diff: stringIn(diff) ?? '' }
}

function parseArguments(json: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(json)
    return isRecord(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

function stringIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

function countIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function environmentIn(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      typeof item === 'string' ? [[name, item] as const] : [],
    ),
  )
}
