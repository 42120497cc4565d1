import type { Comparison } from './scenario.ts'

const whole = { shape: { connections: 50 }, keys: 1 }
const streamed = { shape: { connections: 20 }, keys: 1, streamChunks: 20 }

/** The same questions in the words of the responses protocol, answered by the same vendor. */
export const responses: Comparison[] = [
  {
    name: 'responses-whole',
    says: 'responses to chat, 50 connections',
    load: { ...whole, protocol: 'responses' },
    base: whole,
  },
  {
    name: 'responses-streamed',
    says: 'responses to chat, 20 chunks, 20 connections',
    load: { ...streamed, protocol: 'responses' },
    base: streamed,
  },
]
