import { findFault } from '../../faults/find-fault.ts'
import { meetFault } from '../../faults/meet-fault.ts'
import { answerPrompt } from '../../model/answer-prompt.ts'
import { lastUserText } from '../../model/prompt.ts'
import type { Handler } from '../../server/exchange.ts'
import { sendStream } from '../../server/send-stream.ts'
import { sendWhole } from '../../server/send-whole.ts'
import { authenticate } from '../authenticate.ts'
import { presentHeaders } from '../present-headers.ts'
import { refuseTrouble } from '../refuse.ts'
import { parseChatRequest } from '../request/parse-chat-request.ts'
import { identifyAnswer } from './identify-answer.ts'
import { presentChat } from './present-chat.ts'
import { streamChat } from './stream-chat.ts'

const failure = JSON.stringify({
  error: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
    param: null,
    code: null,
  },
})

/** POST /v1/chat/completions, whole or streamed. */
export const completeChat: Handler = async (simulator, exchange) => {
  const key = authenticate(exchange)
  const request = parseChatRequest(exchange)
  const { prompt } = request
  const text = lastUserText(prompt)
  const fault = findFault({ request: exchange.request, model: prompt.model, text })
  await meetFault(simulator, exchange, { fault, model: prompt.model, text, refuse: refuseTrouble })
  if (exchange.response.destroyed) return

  const partition = JSON.stringify([key, prompt.model, request.cacheKey ?? null])
  const reply = answerPrompt(simulator, { prompt, partition, fault })
  const identity = identifyAnswer(simulator, { exchange, model: prompt.model })
  const headers = presentHeaders(exchange)
  if (request.isStreamed) {
    await sendStream(simulator, exchange, {
      headers: {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
      },
      frames: streamChat(reply, { identity, request }),
      brokenFrame: 'data: {"id":"chatcmpl-\n\n',
      errorFrame: `data: ${failure}\n\n`,
      fault,
    })
    return
  }
  const body = JSON.stringify(presentChat(reply, { identity, request }))
  await sendWhole(exchange, {
    headers,
    body,
    brokenBody: '<html><body>Bad gateway</body></html>',
    errorBody: failure,
    fault,
  })
}
