import type { Graph } from './scenario.ts'

/** What federation costs: the same queries in one process, spread, without any gateway, and through another's. */
export const graph: Graph[] = [
  {
    name: 'graph',
    says: "the console's five queries; 8 clients",
    clients: 8,
    atLeastOfReference: 1.2,
    atMostCpuMs: 1.5,
  },
]
