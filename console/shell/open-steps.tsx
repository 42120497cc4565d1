import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useMutation } from 'urql'
import { Banner } from '../frame/banner.tsx'
import { graphql } from '../graph/documents.ts'
import { faultText } from '../graph/faults.ts'
import { useText } from '../text/language.ts'
import { notify } from '../ui/toasts.tsx'
import { messages } from './messages.ts'
import { useViewerQuery } from './use-viewer.ts'

const confirmDocument = graphql(`
  mutation RequestEmailConfirmation { requestEmailConfirmation { user { id } } }
`)

/** The user has to confirm the address, or to add the second factor that the account requires. */
export function OpenSteps() {
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
        <Banner>
          <span className="min-w-0 break-words">{text.unconfirmed(user.email)}</span>
          <button type="button" className="underline" disabled={fetching} onClick={() => void sendAgain()}>
            {text.sendAgain}
          </button>
        </Banner>
      )}
      {data?.signInStatus?.lacksSecondFactor && (
        <Banner>
          {text.needsFactor}
          <Link to="/settings/sign-in" className="underline">
            {text.addFactor}
          </Link>
        </Banner>
      )}
    </>
  )
}
