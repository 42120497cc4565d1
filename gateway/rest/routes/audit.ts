import type { Route } from './route.ts'

export const auditRecord = `
  id action outcome actorKind user_id: user { id } actorEmail api_key_id: apiKey { id } operator targetType targetId fields
  reason address requestId createdAt`

/** The audit log of the account (docs/behaviour.md, Audit log). */
export const audit: Route[] = [
  {
    method: 'GET',
    path: '/audit-log',
    document: `
      query listActions($first: Int, $after: String) {
        auditEntries(first: $first, after: $after) {
          data: nodes { ${auditRecord} }
          totalCount
        }
      }`,
    caller: 'manager',
    page: ['total', 'page', 'per_page'],
  },
]
