import type { OutputMessage, OutputPart } from '../../../../schema/wire/responses/output.ts'
import type { Growth, Said } from './collect-answer.ts'
import type { Event } from './number-events.ts'
import { type Naming, presentLogprobs, presentMessage, presentPart } from './present-output.ts'

/** The events of the message as it is said: it is always the first item. */
export interface MessageStream {
  /** More was said. */
  grow(growth: Growth): Event[]
  /** All is said: the message as it is in the output. */
  end(message: OutputMessage): Event[]
}

/** Opens with the first thing said. A part is done when the next begins, or the message ends. */
export function streamMessage(naming: Naming): MessageStream {
  let open: Said | undefined
  let index = -1
  const opened = presentMessage(naming, { content: [], status: 'in_progress' })
  const place = () => ({ item_id: opened.id, output_index: 0, content_index: index })

  const begin = (said: Said): Event[] => {
    const before: Event[] = open
      ? closePart(presentPart(open), place())
      : [{ type: 'response.output_item.added', output_index: 0, item: opened }]
    open = said
    index += 1
    const part = presentPart({ ...said, text: '', logprobs: [] })
    return [...before, { type: 'response.content_part.added', ...place(), part }]
  }

  return {
    grow({ said, added, logprobs }) {
      const before = said === open ? [] : begin(said)
      before.push(
        said.kind === 'text'
          ? {
              type: 'response.output_text.delta',
              ...place(),
              delta: added,
              logprobs: presentLogprobs(logprobs),
            }
          : { type: 'response.refusal.delta', ...place(), delta: added },
      )
      return before
    },
    end(message) {
      const before = open ? [] : begin({ kind: 'text', text: '', logprobs: [] })
      return [
        ...before,
        ...(open ? closePart(presentPart(open), place()) : []),
        { type: 'response.output_item.done', output_index: 0, item: message },
      ]
    },
  }
}

function closePart(
  part: OutputPart,
  place: { item_id: string; output_index: number; content_index: number },
): Event[] {
  return [
    part.type === 'output_text'
      ? { type: 'response.output_text.done', ...place, text: part.text, logprobs: part.logprobs }
      : { type: 'response.refusal.done', ...place, refusal: part.refusal },
    { type: 'response.content_part.done', ...place, part },
  ]
}
