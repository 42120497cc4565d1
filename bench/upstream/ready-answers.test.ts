import { expect, test } from 'vitest'
import { answerText } from './answer-text.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { readDirections, writeDirections } from './directions.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { readyAnswer } from './ready-answers.ts'

const pieceOfText = {
  openaiChat: /"delta":\{"content":"([^"]*)"/g,
  anthropicMessages: /"text_delta","text":"([^"]*)"/g,
  gemini: /"parts":\[\{"text":"([^"]*)"/g,
}

test.each([
  ['openaiChat', openaiChat],
  ['anthropicMessages', anthropicMessages],
  ['gemini', gemini],
] as const)('%s says the same text in as many pieces as the others', (name, format) => {
  const { bytes, parts } = readyAnswer(format, 20)
  const pieces = Array.from(bytes.toString('latin1').matchAll(pieceOfText[name]), ([, piece]) => piece)
  expect(pieces).toHaveLength(20)
  expect(pieces.join('')).toBe(answerText)
  expect(Buffer.concat(parts)).toEqual(bytes)
  expect(readyAnswer(format, 0).bytes.toString('latin1')).toContain(answerText)
})

test('directions are found again in a prompt', () => {
  const directions = { latencyMs: 50, chunks: 20, everyMs: 1000, bytes: 1_000_000 }
  expect(readDirections(JSON.stringify({ text: `Please. ${writeDirections(directions)}` }))).toEqual(
    directions,
  )
  expect(readDirections('{}')).toEqual({ latencyMs: 0, chunks: 0, everyMs: 0, bytes: 0 })
})
