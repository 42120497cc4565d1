/** How many steps of tasks each account has under way in this process. */
export interface AccountShares {
  /** Takes a place, and answers how it is given back; undefined where the account has as many as it may. */
  take(accountId: string): (() => void) | undefined
}

/** An account has at most `most` steps under way, so that one whose vendor never answers leaves room for the others. */
export function openAccountShares(most: number): AccountShares {
  const underWay = new Map<string, number>()
  return {
    take(accountId) {
      const taken = underWay.get(accountId) ?? 0
      if (taken >= most) return undefined
      underWay.set(accountId, taken + 1)
      return () => {
        const left = (underWay.get(accountId) ?? 1) - 1
        if (left > 0) underWay.set(accountId, left)
        else underWay.delete(accountId)
      }
    },
  }
}
