import { callAuth } from '../../session/rest.ts'
import { useText } from '../../text/language.ts'
import { messages } from './messages.ts'
import { OneStepPage } from './one-step-page.tsx'

/** Reopens the account that an owner closed. */
export function ReopenAccount() {
  const text = useText(messages)
  const run = async (token: string) => {
    const { name } = await callAuth<{ name: string }>('POST', 'reopen-account', { body: { token } })
    return text.reopened(name)
  }
  return (
    <OneStepPage
      title={text.reopenTitle}
      doneTitle={text.reopenedTitle}
      intro={text.reopenText}
      action={text.reopen}
      next={text.logIn}
      run={run}
    />
  )
}
