import type { Budget, BudgetSubject, HoldBudgets } from '../ledger/hold.ts'
import { clean } from '../ledger/request-record.ts'

/** The key of a request: its ID, and the member who owns it, if any. */
export interface RequestKey {
  keyId: string
  ownerId: string | null
}

/** The metadata and end user of a request, as the log keeps them. */
export interface RequestLabels {
  /** The pairs of its metadata, as JSON; null if there are none. */
  metadata: string | null
  endUser: string | null
}

/** The budgets of an account by the name of their subject. */
export type AccountBudgets = ReadonlyMap<string, Budget>

/** Returns the budgets of an account that count a request, by ID; undefined if there are none. */
export function matchingBudgets(
  budgets: AccountBudgets,
  { keyId, ownerId, metadata, endUser }: RequestKey & RequestLabels,
): HoldBudgets {
  const found = new Set<Budget>()
  const add = (subject: BudgetSubject) => {
    const budget = budgets.get(subjectName(subject))
    if (budget) found.add(budget)
  }
  add({ kind: 'account', key: '', value: '' })
  add({ kind: 'api_key', key: '', value: keyId })
  if (ownerId) add({ kind: 'member', key: '', value: ownerId })
  const user = clean(endUser)
  if (user) add({ kind: 'end_user', key: '', value: user })
  const pairs: { key: string; value: string }[] = metadata === null ? [] : JSON.parse(metadata)
  for (const { key, value } of pairs) add({ kind: 'tag', key, value })
  return found.size === 0 ? undefined : [...found].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Returns the name of a subject within its account. Neither texts of requests nor of budgets contain NUL. */
export function subjectName({ kind, key, value }: BudgetSubject): string {
  return `${kind} ${key}\0${value}`
}
