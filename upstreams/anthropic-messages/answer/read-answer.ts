import type { MadeCall } from '../../../schema/wire/chat.ts'
import { parseObject } from '../../answer/parse-object.ts'
import { readShape, requireText } from '../../answer/read-shape.ts'
import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { isAnswer } from '../answer-tool.ts'
import type { Answer } from '../wire.ts'
import { finishReasonOf, refusalOf } from './finish-reasons.ts'
import { failureOfErrorBody } from './read-failure.ts'
import { readUsage } from './read-usage.ts'

/** A whole answer. What only the vendor can read (thoughts, its own tools) is left out. Throws `broken`. */
export function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  return readShape(() => readMessage(body, call))
}

function readMessage(body: Buffer, call: ChatCall): ChatAnswer {
  const answer = parseObject(body.toString())
  if (answer.type === 'error') throw failureOfErrorBody(answer)
  if (!isMessage(answer)) {
    throw new UpstreamFailure('broken', {
      message: 'the vendor answered with something other than a message',
    })
  }
  const { text, calls, isGivenByTool } = readContent(answer, call)
  const refusal = refusalOf(answer.stop_reason, answer.stop_details)
  return {
    completion: {
      id: answer.id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: call.request.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text === '' && calls.length > 0 ? null : text,
            refusal: refusal ?? null,
            ...(calls.length > 0 && { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: finishReasonOf(answer.stop_reason, { isGivenByTool }),
        },
      ],
    },
    usage: readUsage(answer.usage),
  }
}

function isMessage(value: object): value is Answer {
  return Reflect.get(value, 'type') === 'message' && Array.isArray(Reflect.get(value, 'content'))
}

function readContent({ content }: Answer, call: ChatCall) {
  let text = ''
  let isGivenByTool = false
  const calls: MadeCall[] = []
  for (const block of content) {
    if (block.type === 'text') text += requireText(block.text)
    if (block.type !== 'tool_use') continue
    const id = requireText(block.id)
    const name = requireText(block.name)
    const args = JSON.stringify(block.input ?? {})
    if (!isAnswer(name, call)) calls.push({ id, type: 'function', function: { name, arguments: args } })
    else {
      isGivenByTool = true
      text += args
    }
  }
  return { text, calls, isGivenByTool }
}
