import { useSubscription } from 'urql'
import { graphql } from '../graph/documents.ts'

const document = graphql(`
  subscription BalanceChanges { balanceChanged { credits held available } }
`)

/** The account's balance as it changes; `undefined` until the graph has sent it. */
export function useBalance() {
  const [{ data }] = useSubscription({ query: document })
  return data?.balanceChanged
}
