import type { FloorScenario } from './scenario.ts'

/** All requests with one key: they share one hold, one balance, one set of windows. */
export const hotKey: FloorScenario[] = [
  { name: 'hot-1', says: 'one hot key, 1 connection', load: load(1) },
  {
    name: 'hot-50',
    says: 'one hot key, 50 connections',
    load: load(50),
    target: { kind: 'ratio', atLeast: 0.45 },
  },
  {
    name: 'hot-200',
    says: 'one hot key, 200 connections',
    load: load(200),
    target: { kind: 'ratio', atLeast: 0.6 },
  },
]

function load(connections: number) {
  return { shape: { connections }, keys: 1 }
}
