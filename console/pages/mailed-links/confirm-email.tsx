import { callAuth } from '../../session/rest.ts'
import { useText } from '../../text/language.ts'
import { messages } from './messages.ts'
import { OneStepPage } from './one-step-page.tsx'

export function ConfirmEmail() {
  const text = useText(messages)
  const run = async (token: string) => {
    const { email } = await callAuth<{ email: string }>('POST', 'confirm-email', { body: { token } })
    return text.confirmed(email)
  }
  return (
    <OneStepPage
      title={text.confirmTitle}
      doneTitle={text.confirmedTitle}
      intro={text.confirmText}
      action={text.confirm}
      next={text.toConsole}
      run={run}
    />
  )
}
