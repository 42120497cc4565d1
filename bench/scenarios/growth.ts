import type { Growth } from './scenario.ts'

/** What grows with the number of edge processes or keys, and what stays flat. */
export const growth: Growth[] = [
  {
    name: 'growth',
    says: '1, 2 and 4 edge processes with 1,000 keys; 10, 1,000 and 10,000 keys; 50 connections',
    growth: { edges: [1, 2, 4], keysOfEdges: 1_000, keys: [10, 1_000, 10_000], connections: 50 },
  },
]
