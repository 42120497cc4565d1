import { expect, test } from 'vitest'
import { anthropicMessages } from '../upstream/anthropic-messages.ts'
import { gemini } from '../upstream/gemini.ts'
import { openaiChat } from '../upstream/openai-chat.ts'
import { readyAnswer } from '../upstream/ready-answers.ts'
import { findFault } from './check-answer.ts'
import { isWhole } from './open-connection.ts'
import type { LoadPlan } from './plan.ts'

const plan: LoadPlan = { port: 1, keys: ['key'], shape: { connections: 1 }, warmUpSeconds: 0, seconds: 1 }
const wholeAnswer = readyAnswer(openaiChat, 0).bytes
const stream = readyAnswer(openaiChat, 20).bytes

test('an answer is whole when its last byte is there, not before', () => {
  const translated = [anthropicMessages, gemini].map(format => readyAnswer(format, 20).bytes)
  for (const answer of [wholeAnswer, stream, ...translated]) {
    const wholeAt = Array.from(answer, (_, index) => index + 1).filter(bytes =>
      isWhole(answer.subarray(0, bytes)),
    )
    expect(wholeAt).toEqual([answer.length])
  }
})

test('right answers have no fault', () => {
  expect(findFault(plan, wholeAnswer)).toBeUndefined()
  expect(findFault({ ...plan, streamChunks: 20 }, stream)).toBeUndefined()
})

test.each([
  ['another status', wholeAnswer, ['HTTP/1.1 200 OK', 'HTTP/1.1 402 Payment Required'], 0],
  ['no usage', wholeAnswer, ['"usage":{"prompt_tokens":96', '"usage":{"prompt_tokens":0'], 0],
  ['other text', wholeAnswer, ['keeps the books', 'cooks the books'], 0],
  ['no end', stream, ['data: [DONE]', 'data: [GONE]'], 20],
  ['a piece too few', stream, ['"delta":{"content":"', '"delta":{"refusal":"'], 20],
] as const)('an answer with %s is wrong', (_, answer, [right, wrong], streamChunks) => {
  const spoilt = Buffer.from(answer.toString('latin1').replace(right, wrong), 'latin1')
  expect(findFault({ ...plan, streamChunks }, spoilt)).toBeTypeOf('string')
})
