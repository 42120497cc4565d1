import type { Subgraph } from '../runtime/subgraph.ts'
import { AuditResolver, findAuditEntry } from './audit-resolver.ts'

/** What was done to an account, and by whom. Written around every mutation by `runtime/audit-mutations.ts`. */
export const subgraph: Subgraph = {
  name: 'audit',
  resolvers: [AuditResolver],
  references: { AuditEntry: findAuditEntry },
}
