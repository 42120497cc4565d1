import { useEffect } from 'react'
import type { OperationContext } from 'urql'

/**
 * Sends a query again at an interval, for data that no subscription reports. A hidden page does not read. When it becomes
 * visible, it reads at once. With `isNeeded` false, nothing is read.
 */
export function useRepeatedRead(
  read: (options: Partial<OperationContext>) => void,
  { intervalMs, isNeeded = true }: { intervalMs: number; isNeeded?: boolean },
): void {
  useEffect(() => {
    if (!isNeeded) return
    const readIfVisible = () => {
      if (document.visibilityState === 'visible') read({ requestPolicy: 'network-only' })
    }
    const timer = setInterval(readIfVisible, intervalMs)
    document.addEventListener('visibilitychange', readIfVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', readIfVisible)
    }
  }, [read, intervalMs, isNeeded])
}
