import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import * as wire from '../../../../schema/wire/responses/request.ts'
import type { StandInKind } from '../tools/stand-ins.ts'
import type { CallItem, OutputItem } from './parse-items.ts'

const checkCustomCall = openCheck(wire.CustomCallItem)
const checkShellCall = openCheck(wire.ShellCallItem)
const checkPatchCall = openCheck(wire.ApplyPatchCallItem)
const checkOutput = openCheck(wire.FunctionCallOutputItem)
const checkLocalShellOutput = openCheck(wire.LocalShellOutputItem)
const checkShellOutput = openCheck(wire.ShellOutputItem)
const checkPatchOutput = openCheck(wire.ApplyPatchOutputItem)

const types: ReadonlySet<string> = new Set([
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
])

/** Whether an item is a call, or an output, of a tool that a function stands for (`tools/stand-ins.ts`). */
export function isOfStandIns(type: string): boolean {
  return types.has(type)
}

/** Such an item as a call of that function, or its output; none for what ran in a container of the vendor's. Throws Problem, naming the item. */
export function parseStandIn(item: wire.Typed, at: string): CallItem | OutputItem | undefined {
  switch (item.type) {
    case 'custom_tool_call': {
      const { call_id, name, namespace, input } = checkCustomCall(item, at)
      return callOf('custom', { at, call_id, name, namespace, args: { input } })
    }
    case 'local_shell_call': {
      const { call_id, id, action } = checkShellCall(item, at)
      const { type: _, ...args } = action
      return { ...callOf('local_shell', { at, call_id, args }), otherId: id }
    }
    case 'shell_call': {
      const { call_id, action, environment } = checkShellCall(item, at)
      if (environment && environment.type !== 'local') return undefined
      return callOf('shell', { at, call_id, args: action })
    }
    case 'apply_patch_call': {
      const { call_id, operation } = checkPatchCall(item, at)
      return callOf('apply_patch', { at, call_id, args: { operation } })
    }
    case 'local_shell_call_output': {
      const { id, call_id, output } = checkLocalShellOutput(item, at)
      const called = call_id || id
      if (called) return { at, kind: 'output', output: { call_id: called, output } }
      throw new Problem('missing_parameter', {
        param: `${at}.call_id`,
        message: `${at}.call_id is required.`,
      })
    }
    case 'shell_call_output': {
      const { call_id, output } = checkShellOutput(item, at)
      return { at, kind: 'output', output: { call_id, output: JSON.stringify(output) }, mayBeAlone: true }
    }
    case 'apply_patch_call_output': {
      const { call_id, status, output } = checkPatchOutput(item, at)
      const isError = status === 'failed'
      return { at, kind: 'output', output: { call_id, output: output || status }, isError }
    }
  }
  return { at, kind: 'output', output: checkOutput(item, at) }
}

function callOf(
  kind: StandInKind,
  {
    at,
    call_id,
    name = kind,
    namespace,
    args,
  }: { at: string; call_id: string; name?: string; namespace?: string | null | undefined; args: object },
): CallItem {
  const called = { call_id, name, arguments: JSON.stringify(args), ...(namespace && { namespace }) }
  return { at, kind: 'call', call: called, standsFor: kind }
}
