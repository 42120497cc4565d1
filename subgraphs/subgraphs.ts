import type { Subgraph } from './runtime/subgraph.ts'

/** Every subgraph by name, one per line. A process loads only the subgraphs that it serves. */
export const subgraphs: Readonly<Record<string, () => Promise<{ subgraph: Subgraph }>>> = {
  accounts: () => import('./accounts/subgraph.ts'),
  keys: () => import('./keys/subgraph.ts'),
  budgets: () => import('./budgets/subgraph.ts'),
  byok: () => import('./byok/subgraph.ts'),
  models: () => import('./models/subgraph.ts'),
  pricing: () => import('./pricing/subgraph.ts'),
  billing: () => import('./billing/subgraph.ts'),
  alerts: () => import('./alerts/subgraph.ts'),
  nodes: () => import('./nodes/subgraph.ts'),
  tasks: () => import('./tasks/subgraph.ts'),
  logs: () => import('./logs/subgraph.ts'),
  usage: () => import('./usage/subgraph.ts'),
  audit: () => import('./audit/subgraph.ts'),
}
