import type { Credential, Provider } from './documents.ts'

export const providers = ['VENDOR_A', 'VENDOR_B', 'VENDOR_C'] as const satisfies readonly Provider[]

type Ordered = Pick<Credential, 'id' | 'priority' | 'createdAt'>

/** Returns credentials in the order in which requests try them: the highest priority first, then the newest. */
export function inOrder<One extends Ordered>(credentials: readonly One[]): One[] {
  return credentials.toSorted(
    (one, other) => other.priority - one.priority || Date.parse(other.createdAt) - Date.parse(one.createdAt),
  )
}

/** Returns a list with one item at another place. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/**
 * Returns the changes of priorities after which credentials are tried in the order of the list. Only credentials that get
 * another priority are changed.
 */
export function prioritiesFor(ordered: readonly Ordered[]): { id: string; priority: number }[] {
  return ordered.flatMap(({ id, priority: before }, index) => {
    const priority = ordered.length - 1 - index
    return priority === before ? [] : [{ id, priority }]
  })
}
