import { useText } from '../text/language.ts'
import { Badge } from '../ui/page.tsx'
import { Money, SpentOfLimit } from '../ui/values.tsx'
import { messages } from './messages.ts'

/** Whether requests can use the key, and whether it is a provisioning key. */
export function KeyState({
  apiKey: { disabled, expiresAt, isProvisioning },
}: {
  apiKey: { disabled: boolean; expiresAt: string | null; isProvisioning: boolean }
}) {
  const text = useText(messages)
  const hasExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <span className="flex flex-wrap gap-1">
      {disabled && <Badge>{text.disabled}</Badge>}
      {!disabled && hasExpired && <Badge tone="danger">{text.expired}</Badge>}
      {!disabled && !hasExpired && <Badge tone="ok">{text.active}</Badge>}
      {isProvisioning && <Badge tone="warn">{text.provisioning}</Badge>}
    </span>
  )
}

/** The spent amount, with its share of the limit if there is one. */
export function KeySpent({
  apiKey: { creditUsed, creditLimit },
}: {
  apiKey: { creditUsed: string; creditLimit: string | null }
}) {
  const text = useText(messages)
  if (creditLimit === null) return <Money amount={creditUsed} isRounded />
  return <SpentOfLimit spent={creditUsed} limit={creditLimit} label={text.spent} />
}
