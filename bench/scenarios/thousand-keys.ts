import type { FloorScenario } from './scenario.ts'

/** A thousand keys of a hundred accounts by turns: many holds, many balances, small batches of each. */
export const thousandKeys: FloorScenario[] = [
  { name: 'keys-1', says: '1,000 keys, 1 connection', load: load(1) },
  {
    name: 'keys-50',
    says: '1,000 keys, 50 connections',
    load: load(50),
    target: { kind: 'ratio', atLeast: 0.3 },
  },
  {
    name: 'keys-200',
    says: '1,000 keys, 200 connections',
    load: load(200),
    target: { kind: 'ratio', atLeast: 0.48 },
  },
]

function load(connections: number) {
  return { shape: { connections }, keys: 1000 }
}
