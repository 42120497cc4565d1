import type { Overload } from './scenario.ts'

/** More than the edge can serve: what it still answers, how fast it refuses the rest, and whether its health does. */
export const overload: Overload[] = [
  { name: 'overload-1', says: 'as much as its peak', ...load(1) },
  { name: 'overload-3', says: 'three times its peak', ...load(3), atLeastGoodput: 0.7 },
]

function load(times: number) {
  return { overload: { times, keys: 100, peakConnections: 50 } }
}
