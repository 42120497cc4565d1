import { errorCatalogue, type Problem } from '../../../../schema/errors.ts'
import type { ResponseBody } from '../../../../schema/wire/responses/response.ts'
import type { StreamPresenter } from '../../protocol.ts'
import { addChunk, openAnswer } from './collect-answer.ts'
import { endingOf, endResponse, failResponse } from './end-response.ts'
import { type Event, numberEvents } from './number-events.ts'
import { type Naming, presentOutput } from './present-output.ts'
import { streamCall } from './stream-call.ts'
import { streamMessage } from './stream-message.ts'

/**
 * A stream of `response.*` events, as OpenAI orders them (contract: Events). Text comes as it is said; what ends it
 * waits for the charge, and so do calls of functions, since agents leave as soon as they have read one. A stream
 * that broke has an `error`, then `response.failed`: each of them is unheard by some client.
 */
export function openPresenter(
  begun: ResponseBody,
  { naming, renameParam }: { naming: Naming; renameParam: (problem: Problem) => Problem },
): StreamPresenter {
  const answer = openAnswer(begun.model)
  const message = streamMessage(naming)
  const frames = numberEvents()
  let isOver = false

  return {
    begin: () =>
      frames(
        { type: 'response.created', response: begun },
        { type: 'response.in_progress', response: begun },
      ),
    chunk(chunk) {
      let text = ''
      for (const growth of addChunk(answer, chunk)) text += frames(...message.grow(growth))
      return text
    },
    end(usage) {
      isOver = true
      const { status } = endingOf(answer)
      const output = presentOutput(answer, naming, status)
      const items = output.flatMap((item, index) =>
        item.type === 'message' ? message.end(item) : streamCall(item, index),
      )
      const response = endResponse(begun, { answer, output, usage })
      return frames(...items, { type: `response.${status}`, response })
    },
    fail(problem) {
      isOver = true
      const told = renameParam(problem)
      const output =
        answer.said.length > 0 ? presentOutput({ ...answer, calls: new Map() }, naming, 'failed') : []
      const response = failResponse(begun, { problem: told, output })
      return frames(errorEvent(told), { type: 'response.failed', response })
    },
    /** A comment would not do: there are clients whose patience only an event renews. */
    keepAlive: () => (isOver ? '' : frames({ type: 'response.in_progress', response: begun })),
  }
}

/** Its fields stand twice: some clients read them flat, some inside of `error`. */
function errorEvent(problem: Problem): Event {
  const { code, message } = problem
  const param = problem.details.param ?? null
  const { type } = errorCatalogue[problem.errorName]
  return { type: 'error', code, message, param, error: { type, code, message, param } }
}
