import { useEffect, useRef } from 'react'
import type { OperationContext } from 'urql'
import { useBalance } from '../../shell/use-balance.ts'

/** Sends the query of a list again when the credits rise. Charges alone do not read it again: they can come every second. */
export function useReadWhenCredited(read: (options: Partial<OperationContext>) => void): void {
  const credits = Number(useBalance()?.credits) // only compared, never shown
  const before = useRef(credits)
  useEffect(() => {
    if (credits > before.current) read({ requestPolicy: 'network-only' })
    before.current = credits
  }, [credits, read])
}
