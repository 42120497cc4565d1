import { startOf } from '../../lists/days.ts'
import type { AuditSearch } from './search.ts'

/** The filters of the address as the graph takes them. Both days are included. Days that do not exist filter nothing. */
export function auditFilterOf({ action, actor, target, from, to }: AuditSearch) {
  return {
    actions: action === undefined ? null : [action],
    actorIds: actor === undefined ? null : [actor],
    targetIds: target === undefined ? null : [target],
    since: startOf(from) ?? null,
    until: startOf(to, 1) ?? null,
  }
}
