import type { GenerateAnswer } from '../../upstreams/formats/gemini/wire.ts'
import { answerText, cutText, outputTokens, promptTokens } from './answer-text.ts'
import type { WireFormat } from './ready-answers.ts'

/** vendor_c: a frame is an answer itself, with the usage so far; the last one says why it ended. Lines end in CRLF. */
export const gemini: WireFormat = {
  headers: [
    'x-content-type-options: nosniff',
    'server-timing: gfet4t7; dur=1',
    'vary: Origin, X-Origin, Referer',
  ],
  whole: () => present(answerText, { tokens: outputTokens, isLast: true }),
  frames: chunks =>
    cutText(chunks).map((text, index) => {
      const tokens = Math.ceil((outputTokens * (index + 1)) / chunks)
      return `data: ${JSON.stringify(present(text, { tokens, isLast: index === chunks - 1 }))}\r\n\r\n`
    }),
}

function present(text: string, { tokens, isLast }: { tokens: number; isLast: boolean }): GenerateAnswer {
  return {
    candidates: [
      { content: { role: 'model', parts: [{ text }] }, ...(isLast && { finishReason: 'STOP' }), index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: tokens,
      totalTokenCount: promptTokens + tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
    },
    modelVersion: 'prism-3-flash',
    responseId: 'response-0000000000000000',
  }
}
