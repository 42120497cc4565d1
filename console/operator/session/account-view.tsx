import { type ReactNode, useMemo } from 'react'
import { Provider } from 'urql'
import { openClient } from '../../graph/client.ts'

/** An operator's view of an account. The token is in memory only, and reads what the members of the account see. */
export interface AccountView {
  token: string
  expiresAt: string
}

/** Reads everything inside with the view, as a member who can only read. */
export function ViewProvider({
  view,
  onEnd,
  children,
}: {
  view: AccountView
  /** Called when the service refuses the token, because the view has ended. */
  onEnd(): void
  children: ReactNode
}) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has another client, and so another cache
  const client = useMemo(() => openClient({ token: async () => view.token, refused: onEnd }), [view.token])
  return <Provider value={client}>{children}</Provider>
}
