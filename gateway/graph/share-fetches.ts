import { type DocumentNode, getOperationAST } from 'graphql'
import type { ExecutorResult, GraphContext } from './reach-subgraphs.ts'

/** A request to a subgraph. */
interface Fetch {
  subgraph: string
  /** The document of the query plan. It is the same object each time. */
  document: DocumentNode
  operationName?: string | undefined
  variables?: unknown
  context: GraphContext
}

/** Executes a fetch, or returns the result of an identical fetch. */
export type ShareFetch = (fetch: Fetch, execute: () => Promise<ExecutorResult>) => Promise<ExecutorResult>

/**
 * Merges identical fetches of subscriptions for the same caller within one turn of the event loop. If 1,000 subscribers
 * receive the same task, its model is read once. A fetch that has started is not joined, because its data may have
 * changed since.
 */
export function openSharedFetches(): ShareFetch {
  const gathering = new WeakMap<DocumentNode, Map<string, Promise<ExecutorResult>>>()

  return async (fetch, execute) => {
    if (!isShared(fetch)) return execute()
    const ofDocument = gathering.get(fetch.document) ?? new Map<string, Promise<ExecutorResult>>()
    gathering.set(fetch.document, ofDocument)
    const name = nameOf(fetch)
    const known = ofDocument.get(name)
    if (known) return copyOf(await known)
    const fetching = new Promise<ExecutorResult>((resolve, reject) => {
      setImmediate(() => {
        ofDocument.delete(name)
        execute().then(resolve, reject)
      })
    })
    ofDocument.set(name, fetching)
    return copyOf(await fetching)
  }
}

/** Returns whether a fetch can be shared: queries for events of subscriptions, but not subscriptions and mutations. */
function isShared({ document, operationName, context }: Fetch): boolean {
  return context.isSubscription === true && getOperationAST(document, operationName)?.operation === 'query'
}

function nameOf({ subgraph, variables, context }: Fetch): string {
  const { caller, operator, address } = context.call
  return JSON.stringify([subgraph, variables, caller, operator, address])
}

/** Copies a result, because the runtime writes later results into earlier ones. */
function copyOf(result: ExecutorResult): ExecutorResult {
  return 'data' in result ? { ...result, data: structuredClone(result.data) } : result
}
