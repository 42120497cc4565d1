import type { FloorScenario, Targets } from './scenario.ts'

/** The floor against itself: how far from 1 the ratio lies is noise of this machine. */
const noise: FloorScenario = {
  name: 'floor-floor',
  says: 'the floor against itself, 50 connections',
  load: { shape: { connections: 50 }, keys: 1 },
  against: 'floor',
}

/** All requests with one key: they share one hold, one balance, one set of windows. */
const hotKey = [
  closedLoop('hot-1', { connections: 1, keys: 1 }, { ratio: 0.2, postgresMs: 0.4 }),
  closedLoop('hot-50', { connections: 50, keys: 1 }, { ratio: 0.5, edgeCpu: 1.6, postgresMs: 0.045 }),
  closedLoop('hot-200', { connections: 200, keys: 1 }, { ratio: 0.66 }),
]

/** A thousand keys of a hundred accounts by turns: many holds, many balances, small batches of each. */
const thousandKeys = [
  closedLoop('keys-1', { connections: 1, keys: 1_000 }),
  closedLoop('keys-50', { connections: 50, keys: 1_000 }, { ratio: 0.38 }),
  closedLoop('keys-200', { connections: 200, keys: 1_000 }, { ratio: 0.52 }),
]

/** Streams that arrive as fast as they can be read. */
const streams: FloorScenario = {
  name: 'streams-20',
  says: 'streams of 20 chunks, 20 connections',
  load: { shape: { connections: 20 }, keys: 1, streamChunks: 20 },
  targets: { ratio: 0.42, edgeCpu: 2.4 },
}

/** The latency that the edge adds at low load. */
const addedLatency: FloorScenario = {
  name: 'latency-500',
  says: '500 requests/s, 50 keys, 50 ms upstream',
  load: { shape: { perSecond: 500 }, keys: 50, upstreamLatencyMs: 50 },
  targets: { addedP50Ms: 2.5, addedP99Ms: 10 },
}

/** Whole and streamed answers of vendor_a's format, beside the same through the floor. */
export const againstFloor: FloorScenario[] = [noise, ...hotKey, ...thousandKeys, streams, addedLatency]

function closedLoop(
  name: string,
  { connections, keys }: { connections: number; keys: number },
  targets?: Targets,
): FloorScenario {
  const whose = keys === 1 ? 'one hot key' : `${keys.toLocaleString('en-US')} keys`
  const says = `${whose}, ${connections} connection${connections === 1 ? '' : 's'}`
  return { name, says, load: { shape: { connections }, keys }, ...(targets && { targets }) }
}
