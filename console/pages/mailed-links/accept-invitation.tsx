import { useState } from 'react'
import { faultsOf } from '../../graph/faults.ts'
import { callAuth } from '../../session/rest.ts'
import { activeSession, beginSession, type SessionAnswer, switchAccount } from '../../session/session.ts'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { FormFault, NewPasswordField } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Done, LinkPage, ToConsole } from './link-page.tsx'
import { linkFaultsOf, messages } from './messages.ts'
import { useLinkToken } from './use-link-token.ts'

const fieldNames = ['password']

interface Accepted {
  account_id: string
  account_name: string
  /** The first session of a new user. */
  session: SessionAnswer | null
}

/** Accepts an invitation. A person who has no user chooses a password, which the service asks for after the first try. */
export function AcceptInvitation() {
  const text = useText(messages)
  const token = useLinkToken()
  const [needsPassword, setNeedsPassword] = useState(false)
  const [accepted, setAccepted] = useState<Accepted>()
  const [wasLoggedIn, setWasLoggedIn] = useState(false)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const session = await activeSession().catch(() => undefined)
    const password = fields.get('password')
    const body = { token, ...(password !== null && { password: String(password) }) }
    try {
      const answer = await callAuth<Accepted>('POST', 'accept-invitation', { body, token: session?.token })
      if (answer.session) beginSession(answer.session)
      setWasLoggedIn(session !== undefined)
      setAccepted(answer)
    } catch (error) {
      const isAsked = !needsPassword && faultsOf(error).fields.has('password')
      if (!isAsked) throw error
      setNeedsPassword(true)
    }
  })
  return (
    <LinkPage title={accepted ? text.acceptedTitle : text.acceptTitle} token={token}>
      {accepted ? (
        <Done action={<NextStep accepted={accepted} wasLoggedIn={wasLoggedIn} />}>
          {text.accepted(accepted.account_name)}
        </Done>
      ) : (
        <form {...formProps} className="flex flex-col gap-4">
          <p role="status">{needsPassword ? text.choosePassword : text.acceptText}</p>
          <FormFault faults={linkFaultsOf(faults, text)} names={fieldNames} />
          {needsPassword && <NewPasswordField name="password" autoFocus faults={faults} />}
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.accept}
          </Button>
        </form>
      )}
    </LinkPage>
  )
}

function NextStep({ accepted, wasLoggedIn }: { accepted: Accepted; wasLoggedIn: boolean }) {
  const text = useText(messages)
  const [isBusy, setIsBusy] = useState(false)
  if (accepted.session) return <ToConsole label={text.toConsole} />
  if (!wasLoggedIn) return <ToConsole label={text.logIn} />
  const open = () => {
    setIsBusy(true)
    switchAccount(accepted.account_id).catch(() => location.assign('/console'))
  }
  return (
    <Button kind="primary" isBusy={isBusy} onClick={open}>
      {text.open(accepted.account_name)}
    </Button>
  )
}
