import { useText } from '../../text/language.ts'
import { Badge, type Tone } from '../../ui/page.tsx'
import { messages } from './messages.ts'

/** The facts on which the state of an account depends. */
interface Stateful {
  suspendedAt: string | null
  closedAt: string | null
  erasedAt: string | null
}

export type AccountState = 'open' | 'suspended' | 'closed' | 'erased'

/** Returns the state of an account. A closed account can be suspended too; then it counts as closed. */
export function stateOf({ suspendedAt, closedAt, erasedAt }: Stateful): AccountState {
  if (erasedAt !== null) return 'erased'
  if (closedAt !== null) return 'closed'
  return suspendedAt === null ? 'open' : 'suspended'
}

const tones: Readonly<Record<AccountState, Tone>> = {
  open: 'ok',
  suspended: 'warn',
  closed: 'danger',
  erased: 'neutral',
}

export function StateBadge({ account }: { account: Stateful }) {
  const text = useText(messages)
  const state = stateOf(account)
  return <Badge tone={tones[state]}>{text.states[state]}</Badge>
}

export function TierBadge({ isPaying }: { isPaying: boolean }) {
  const text = useText(messages)
  return <Badge>{text.tiers[isPaying ? 'paying' : 'trial']}</Badge>
}
