import { type DocumentNode, getOperationAST } from 'graphql'
import type { ExecutorResult, GraphContext } from './reach-subgraphs.ts'

/** What a subgraph is asked for. */
interface Fetch {
  subgraph: string
  /** The plan's own: the same object each time. */
  document: DocumentNode
  operationName?: string | undefined
  variables?: unknown
  context: GraphContext
}

/** Executes a fetch, or answers what one answered that is the same. */
export type ShareFetch = (fetch: Fetch, execute: () => Promise<ExecutorResult>) => Promise<ExecutorResult>

/**
 * Makes one fetch of those that subscriptions make of a subgraph for the same, on behalf of the same caller, within one
 * turn of the event loop. A thousand subscribers who are told of one task at once then look its model up once. A fetch
 * that has begun is not joined: what its readers are told of may have changed since.
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

/** Queries that the events of subscriptions cause; never a subscription itself, or a mutation. */
function isShared({ document, operationName, context }: Fetch): boolean {
  return context.isSubscription === true && getOperationAST(document, operationName)?.operation === 'query'
}

function nameOf({ subgraph, variables, context }: Fetch): string {
  const { caller, operator, address } = context.call
  return JSON.stringify([subgraph, variables, caller, operator, address])
}

/** The runtime writes what it fetches later into what it fetched before. */
function copyOf(result: ExecutorResult): ExecutorResult {
  return 'data' in result ? { ...result, data: structuredClone(result.data) } : result
}
