import { Link } from '@tanstack/react-router'
import { useText } from '../text/language.ts'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/states.tsx'
import { messages } from './messages.ts'

/** What pages about requests show while the account has none: the way to a first request. */
export function NoRequests() {
  const text = useText(messages)
  return (
    <EmptyState
      icon="requests"
      title={text.noRequests}
      action={
        <Link to="/first-steps" className={buttonClass('primary')}>
          {text.firstRequest}
        </Link>
      }
    >
      {text.noRequestsText}
    </EmptyState>
  )
}
