import { errorCatalogue } from '../../../schema/error-catalogue.ts'
import type { Problem } from '../../../schema/errors.ts'
import type { OutputCall, OutputMessage, OutputPart } from '../../../schema/wire/responses/output.ts'
import type { ResponseBody, ResponseEvent } from '../../../schema/wire/responses/response.ts'
import { wholeChunk } from '../../../schema/wire/text-chunk.ts'
import { frameOf, type StreamPresenter } from '../protocol.ts'
import { type AnswerPart, addChunk, openAnswer, type PartDelta } from './answer.ts'
import { type OutputContext, presentLogprobs, presentMessage, presentOutput, presentPart } from './output.ts'
import { endingOf, endResponse, failResponse } from './response.ts'

/**
 * Presents a stream of `response.*` events in OpenAI's order. Text is streamed without delay. The last events, and
 * function calls, are held back until the charge is durable, because agents disconnect as soon as they have read a
 * call. A broken stream ends with `error` and then `response.failed`, because some clients handle only one of them.
 */
export function openPresenter(
  begun: ResponseBody,
  { context, renameParam }: { context: OutputContext; renameParam: (problem: Problem) => Problem },
): StreamPresenter {
  const answer = openAnswer(begun.model)
  const message = openMessageStream(context)
  const frames = openNumbering()
  let isOver = false

  return {
    begin: () =>
      frames(
        { type: 'response.created', response: begun },
        { type: 'response.in_progress', response: begun },
      ),
    chunk(chunk) {
      let text = ''
      for (const delta of addChunk(answer, wholeChunk(chunk))) text += frames(...message.add(delta))
      return text
    },
    end(usage) {
      isOver = true
      const { status } = endingOf(answer)
      const output = presentOutput(answer, context, status)
      const items = output.flatMap((item, index) =>
        item.type === 'message' ? message.end(item) : callEvents(item, index),
      )
      const response = endResponse(begun, { answer, output, usage })
      return frames(...items, { type: `response.${status}`, response })
    },
    fail(problem, usage) {
      isOver = true
      const renamed = renameParam(problem)
      const output =
        answer.parts.length > 0 ? presentOutput({ ...answer, calls: new Map() }, context, 'failed') : []
      const response = failResponse(begun, { problem: renamed, output, usage })
      return frames(errorEvent(renamed), { type: 'response.failed', response })
    },
    // An event, because comments do not reset the timeouts of some clients.
    keepAlive: () => (isOver ? '' : frames({ type: 'response.in_progress', response: begun })),
  }
}

/** An event without its `sequence_number`. */
type Event = ResponseEvent extends infer Numbered
  ? Numbered extends ResponseEvent
    ? Omit<Numbered, 'sequence_number'>
    : never
  : never

/** Writes events as frames, numbered from 0. */
function openNumbering(): (...events: Event[]) => string {
  let next = 0
  return (...events) => {
    let frames = ''
    for (const event of events) frames += frameOf({ ...event, sequence_number: next++ }, event.type)
    return frames
  }
}

/** The fields of the error, at the top level and in `error`: some clients read only one of the two. */
function errorEvent(problem: Problem): Event {
  const { code, message } = problem
  const param = problem.details.param ?? null
  const { type } = errorCatalogue[problem.errorName]
  return { type: 'error', code, message, param, error: { type, code, message, param } }
}

/** The events of the message, which is always the first item. */
interface MessageStream {
  add(delta: PartDelta): Event[]
  /** The last events; `message` is the whole message. */
  end(message: OutputMessage): Event[]
}

/** The message starts with its first text. A part is done when the next one starts or the message ends. */
function openMessageStream(context: OutputContext): MessageStream {
  let open: AnswerPart | undefined
  let index = -1
  const begun = presentMessage(context, { content: [], status: 'in_progress' })
  const position = () => ({ item_id: begun.id, output_index: 0, content_index: index })

  const beginPart = (next: AnswerPart): Event[] => {
    const before: Event[] = open
      ? partDoneEvents(presentPart(open), position())
      : [{ type: 'response.output_item.added', output_index: 0, item: begun }]
    open = next
    index += 1
    const part = presentPart({ ...next, text: '', logprobs: [] })
    return [...before, { type: 'response.content_part.added', ...position(), part }]
  }

  return {
    add({ part, text, logprobs }) {
      const events = part === open ? [] : beginPart(part)
      events.push(
        part.kind === 'text'
          ? {
              type: 'response.output_text.delta',
              ...position(),
              delta: text,
              logprobs: presentLogprobs(logprobs),
            }
          : { type: 'response.refusal.delta', ...position(), delta: text },
      )
      return events
    },
    end(message) {
      const before = open ? [] : beginPart({ kind: 'text', text: '', logprobs: [] })
      return [
        ...before,
        ...(open ? partDoneEvents(presentPart(open), position()) : []),
        { type: 'response.output_item.done', output_index: 0, item: message },
      ]
    },
  }
}

function partDoneEvents(
  part: OutputPart,
  position: { item_id: string; output_index: number; content_index: number },
): Event[] {
  return [
    part.type === 'output_text'
      ? { type: 'response.output_text.done', ...position, text: part.text, logprobs: part.logprobs }
      : { type: 'response.refusal.done', ...position, refusal: part.refusal },
    { type: 'response.content_part.done', ...position, part },
  ]
}

/**
 * Returns the events of a call, which is streamed when it is complete. The arguments of a function, and the input of a
 * custom tool, are also sent as one delta, because some clients read them only there.
 */
function callEvents(call: OutputCall, index: number): Event[] {
  const begun = { ...call, status: 'in_progress' as const }
  return [
    { type: 'response.output_item.added', output_index: index, item: withoutText(begun) },
    ...callTextEvents(call, { item_id: call.id, output_index: index }),
    { type: 'response.output_item.done', output_index: index, item: call },
  ]
}

function withoutText(call: OutputCall): OutputCall {
  if (call.type === 'function_call') return { ...call, arguments: '' }
  return call.type === 'custom_tool_call' ? { ...call, input: '' } : call
}

function callTextEvents(call: OutputCall, position: { item_id: string; output_index: number }): Event[] {
  if (call.type === 'function_call') {
    const { name, arguments: text } = call
    return [
      { type: 'response.function_call_arguments.delta', ...position, delta: text },
      { type: 'response.function_call_arguments.done', ...position, name, arguments: text },
    ]
  }
  if (call.type !== 'custom_tool_call') return []
  return [
    { type: 'response.custom_tool_call_input.delta', ...position, delta: call.input },
    { type: 'response.custom_tool_call_input.done', ...position, input: call.input },
  ]
}
