import { useEffect } from 'react'
import type { OperationContext } from 'urql'

/** The delay between two reads, in milliseconds. */
const delayMs = 3_000

/** Repeats a query while a delivery is pending. The graph has no subscription for deliveries. */
export function useRefreshWhile(
  isPending: boolean,
  execute: (options: Partial<OperationContext>) => void,
): void {
  useEffect(() => {
    if (!isPending) return
    const timer = setInterval(() => execute({ requestPolicy: 'network-only' }), delayMs)
    return () => clearInterval(timer)
  }, [isPending, execute])
}
