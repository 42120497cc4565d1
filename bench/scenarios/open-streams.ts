import { models } from './models.ts'
import type { OpenStreams } from './scenario.ts'

/** Models that write as slowly as people read. */
export const openStreams: OpenStreams[] = [
  { name: 'open-streams-a', says: '1,000 of vendor_a, a chunk a second', ...load(models.a) },
  { name: 'open-streams-b', says: '1,000 of vendor_b, a chunk a second', ...load(models.b) },
  { name: 'open-streams-c', says: '1,000 of vendor_c, a chunk a second', ...load(models.c) },
]

function load(model: string) {
  return { open: { streams: 1000, model, chunks: 20, everyMs: 1000 }, atMostBytesEach: 60_000 }
}
