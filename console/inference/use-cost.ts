import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { graphql, type ResultOf } from '../graph/documents.ts'

/** The cost of a request. `null` until its log row is written, a moment after the response. */
const costDocument = graphql(`
  query PlaygroundCost($id: ID!) {
    request(id: $id) { id cost usageEstimated promptTokens completionTokens reasoningTokens }
  }
`)

type RequestCost = NonNullable<ResultOf<typeof costDocument>['request']>

/** The log row of a request is written a moment after its response. Delay between two reads, in milliseconds, and their number. */
const delayMs = 400
const maxReads = 15

/** Returns the cost of an ended request; undefined until its log row is written. */
export function useCost(requestId: string | undefined): RequestCost | undefined {
  const client = useClient()
  const [cost, setCost] = useState<RequestCost>()
  useEffect(() => {
    if (!requestId) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let reads = 0
    const read = async () => {
      reads += 1
      const context = { requestPolicy: 'network-only' } as const
      const { data } = await client.query(costDocument, { id: requestId }, context).toPromise()
      if (timer === undefined) return
      if (data?.request) setCost(data.request)
      else if (reads < maxReads) timer = setTimeout(() => void read(), delayMs)
    }
    timer = setTimeout(() => void read(), 0)
    return () => {
      clearTimeout(timer)
      timer = undefined
    }
  }, [client, requestId])
  return cost
}
