import type { ManagementContext } from '../management-context.ts'
import type { TryCounter } from './try-counter.ts'

/** What sign-up and log-in need beyond the records. */
export interface AccountsContext extends ManagementContext {
  tries: TryCounter
}
