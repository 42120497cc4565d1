import type { FloorScenario } from './scenario.ts'

/** Streams that arrive as fast as they can be read. */
export const streams: FloorScenario[] = [
  {
    name: 'streams-20',
    says: 'streams of 20 chunks, 20 connections',
    load: { shape: { connections: 20 }, keys: 1, streamChunks: 20 },
    target: { kind: 'ratio', atLeast: 0.42 },
  },
]
