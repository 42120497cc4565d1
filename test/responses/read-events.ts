import { Ajv } from 'ajv'
import { expect } from 'vitest'
import type { OutputItem } from '../../schema/wire/responses/output.ts'
import { type ResponseBody, ResponseEvent } from '../../schema/wire/responses/response.ts'

const isEvent = new Ajv({ strict: false }).compile<ResponseEvent>(ResponseEvent)

/**
 * The events of a Responses stream. Each must match its schema, be numbered from 0 and have its type as its
 * name.
 */
export function readEvents(text: string): ResponseEvent[] {
  const frames = text.split('\n\n').filter(frame => frame !== '')
  return frames.map((frame, number) => {
    const [name = '', data = '', ...more] = frame.split('\n')
    expect(more).toEqual([])
    const event: unknown = JSON.parse(data.replace(/^data: /, ''))
    if (!isEvent(event)) throw new Error(`${data} is no event: ${JSON.stringify(isEvent.errors?.slice(-3))}`)
    expect(name).toBe(`event: ${event.type}`)
    expect(event.sequence_number).toBe(number)
    return event
  })
}

/** All events of a type. */
export function eventsOf<Type extends ResponseEvent['type']>(
  events: ResponseEvent[],
  type: Type,
): Extract<ResponseEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<ResponseEvent, { type: Type }> => event.type === type)
}

/**
 * Expects the order that clients rely on: created, in progress, each item from added to done, then the last
 * event with all items again; the deltas of an item must add up to its text. Returns the response of the last
 * event.
 */
export function expectOrder(events: ResponseEvent[]): ResponseBody {
  const last = events.at(-1)
  if (!last || !('response' in last)) throw new Error(`the last event is ${last?.type}`)
  const { output, status } = last.response
  const shown = events.filter((event, index) => index < 2 || event.type !== 'response.in_progress')
  const types = shown.map(event => event.type)
  expect(types.filter((type, index) => !type.endsWith('.delta') || type !== types[index - 1])).toEqual([
    'response.created',
    'response.in_progress',
    ...output.flatMap(typesOf),
    `response.${status}`,
  ])
  for (const [index, item] of output.entries()) {
    const own = shown.filter(event => 'output_index' in event && event.output_index === index)
    const empty = emptyFieldsOf(item)
    expect(own[0]).toMatchObject({ item: { id: item.id, status: 'in_progress', ...empty } })
    expect(own.at(-1)).toMatchObject({ type: 'response.output_item.done', item })
    expect(own.every(event => !('item_id' in event) || event.item_id === item.id)).toBe(true)
    for (const [at, text] of textsOf(item).entries()) {
      const deltas = own.flatMap(event =>
        'delta' in event && (!('content_index' in event) || event.content_index === at) ? event.delta : [],
      )
      expect(deltas.join('')).toBe(text)
    }
  }
  return last.response
}

/** The types of an item's events, with consecutive deltas as one. */
function typesOf(item: OutputItem): ResponseEvent['type'][] {
  const inner: ResponseEvent['type'][] =
    item.type === 'message'
      ? item.content.flatMap(part => [
          'response.content_part.added',
          ...(part.type === 'refusal'
            ? (['response.refusal.delta', 'response.refusal.done'] as const)
            : part.text === ''
              ? (['response.output_text.done'] as const)
              : (['response.output_text.delta', 'response.output_text.done'] as const)),
          'response.content_part.done',
        ])
      : innerOfCall(item)
  return ['response.output_item.added', ...inner, 'response.output_item.done']
}

/** The fields that are empty when an item is added. */
function emptyFieldsOf({ type }: OutputItem): object {
  if (type === 'message') return { content: [] }
  if (type === 'function_call') return { arguments: '' }
  return type === 'custom_tool_call' ? { input: '' } : {}
}

function innerOfCall({ type }: OutputItem): ResponseEvent['type'][] {
  if (type === 'custom_tool_call')
    return ['response.custom_tool_call_input.delta', 'response.custom_tool_call_input.done']
  if (type !== 'function_call') return []
  return ['response.function_call_arguments.delta', 'response.function_call_arguments.done']
}

function textsOf(item: OutputItem): string[] {
  if (item.type === 'function_call') return [item.arguments]
  if (item.type === 'custom_tool_call') return [item.input]
  if (item.type !== 'message') return []
  return item.content.map(part => (part.type === 'refusal' ? part.refusal : part.text))
}
