import { useEffect, useRef, useState } from 'react'
import { type CombinedError, useClient } from 'urql'
import { type LedgerDifference, reconciliationDocument } from './documents.ts'

/** The comparison of the books of all accounts, as far as it has come. */
export interface Comparison {
  state: 'running' | 'stopped' | 'done' | 'failed'
  accounts: number
  differences: readonly LedgerDifference[]
  error: CombinedError | undefined
  startedAt: string
}

/** Number of accounts that one request compares. */
const accountsPerRequest = 500

/** Maximum number of differences that are kept; the comparison stops there. */
const maxDifferences = 1_000

/** Compares the books of all accounts, page by page. The comparison ends with the page. */
export function useComparison() {
  const client = useClient()
  const [comparison, setComparison] = useState<Comparison>()
  const run = useRef(0)
  useEffect(
    () => () => {
      run.current += 1
    },
    [],
  )
  const stop = () => {
    run.current += 1
    setComparison(before => before && { ...before, state: 'stopped' })
  }
  const start = async () => {
    run.current += 1
    const own = run.current
    let found: Comparison = {
      state: 'running',
      accounts: 0,
      differences: [],
      error: undefined,
      startedAt: new Date().toISOString(),
    }
    let after: string | null = null
    setComparison(found)
    while (own === run.current && found.state === 'running') {
      const variables: { first: number; after: string | null } = { first: accountsPerRequest, after }
      const { data, error } = await client
        .query(reconciliationDocument, variables, { requestPolicy: 'network-only' })
        .toPromise()
      if (own !== run.current) return
      const part = data?.reconciliation
      if (!part) found = { ...found, state: 'failed', error }
      else {
        const differences = [...found.differences, ...part.differences].slice(0, maxDifferences)
        const isDone = part.endCursor === null || part.accounts === 0 || differences.length >= maxDifferences
        after = part.endCursor
        found = {
          ...found,
          state: isDone ? 'done' : 'running',
          accounts: found.accounts + part.accounts,
          differences,
        }
      }
      setComparison(found)
    }
  }
  return { comparison, start: () => void start(), stop }
}
