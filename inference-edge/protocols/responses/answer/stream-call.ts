import type { OutputFunctionCall } from '../../../../schema/wire/responses/output.ts'
import type { Event } from './number-events.ts'

/**
 * A call of a function, delivered whole (contract: Events). Its arguments come once more as one delta: there are
 * clients that read them nowhere else.
 */
export function streamCall(call: OutputFunctionCall, index: number): Event[] {
  const place = { item_id: call.id, output_index: index }
  const { name, arguments: text } = call
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { ...call, status: 'in_progress', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', ...place, delta: text },
    { type: 'response.function_call_arguments.done', ...place, name, arguments: text },
    { type: 'response.output_item.done', output_index: index, item: call },
  ]
}
