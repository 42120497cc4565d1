import type { OutputCall } from '../../../../schema/wire/responses/output.ts'
import type { Event } from './number-events.ts'

/**
 * A call, delivered whole. The arguments of a function, and the input of a custom tool, come once
 * more as one delta: there are clients that read them nowhere else.
 */
export function streamCall(call: OutputCall, index: number): Event[] {
  const begun = { ...call, status: 'in_progress' as const }
  return [
    { type: 'response.output_item.added', output_index: index, item: withoutText(begun) },
    ...textEvents(call, { item_id: call.id, output_index: index }),
    { type: 'response.output_item.done', output_index: index, item: call },
  ]
}

/** As it is before any of its text has come. */
function withoutText(begun: OutputCall): OutputCall {
  if (begun.type === 'function_call') return { ...begun, arguments: '' }
  return begun.type === 'custom_tool_call' ? { ...begun, input: '' } : begun
}

function textEvents(call: OutputCall, place: { item_id: string; output_index: number }): Event[] {
  if (call.type === 'function_call') {
    const { name, arguments: text } = call
    return [
      { type: 'response.function_call_arguments.delta', ...place, delta: text },
      { type: 'response.function_call_arguments.done', ...place, name, arguments: text },
    ]
  }
  if (call.type !== 'custom_tool_call') return []
  return [
    { type: 'response.custom_tool_call_input.delta', ...place, delta: call.input },
    { type: 'response.custom_tool_call_input.done', ...place, input: call.input },
  ]
}
