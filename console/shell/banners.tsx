import { Link } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { useMutation } from 'urql'
import { graphql } from '../graph/documents.ts'
import { faultText } from '../graph/faults.ts'
import { useText } from '../text/language.ts'
import { Icon } from '../ui/icon.tsx'
import { notify } from '../ui/toasts.tsx'
import { messages } from './messages.ts'
import { useViewerQuery } from './use-viewer.ts'

const confirmDocument = graphql(`
  mutation RequestEmailConfirmation { requestEmailConfirmation { user { id } } }
`)

const bar = 'flex flex-wrap items-center gap-x-3 gap-y-1 bg-warn-soft px-4 py-2 text-sm text-warn sm:px-8'

/** States of the whole console, above the page: no connection, and an address that is not confirmed. */
export function Banners() {
  const text = useText(messages)
  const isOnline = useSyncExternalStore(subscribeToConnection, () => navigator.onLine)
  return (
    <div role="status">
      {!isOnline && (
        <p className={bar}>
          <Icon name="warning" />
          {text.offline}
        </p>
      )}
      <OpenSteps />
    </div>
  )
}

/** The user has to confirm the address, or to add the second factor that the account requires. */
function OpenSteps() {
  const text = useText(messages)
  const [{ data }, read] = useViewerQuery()
  const [{ fetching }, request] = useMutation(confirmDocument)
  const user = data?.viewer.user
  const isUnconfirmed = user?.emailConfirmedAt === null
  useEffect(() => {
    if (!isUnconfirmed) return
    // The link in the e-mail opens another tab.
    const onFocus = () => read({ requestPolicy: 'network-only' })
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [isUnconfirmed, read])
  const sendAgain = async () => {
    const { error } = await request({})
    notify(error ? faultText(error) : text.sent)
  }
  return (
    <>
      {isUnconfirmed && (
        <p className={bar}>
          <span className="min-w-0 break-words">{text.unconfirmed(user.email)}</span>
          <button type="button" className="underline" disabled={fetching} onClick={() => void sendAgain()}>
            {text.sendAgain}
          </button>
        </p>
      )}
      {data?.signInStatus?.lacksSecondFactor && (
        <p className={bar}>
          {text.needsFactor}
          <Link to="/settings/sign-in" className="underline">
            {text.addFactor}
          </Link>
        </p>
      )}
    </>
  )
}

function subscribeToConnection(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
