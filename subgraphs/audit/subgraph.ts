import type { Subgraph } from '../runtime/subgraph.ts'
import { AuditResolver, findAuditEntry } from './audit-resolver.ts'

/** The audit log. `runtime/audit-mutations.ts` writes an entry for every mutation. */
export const subgraph: Subgraph = {
  name: 'audit',
  resolvers: [AuditResolver],
  references: { AuditEntry: findAuditEntry },
}
