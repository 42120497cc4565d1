import { callAuth } from '../../session/rest.ts'
import { activeSession } from '../../session/session.ts'
import { useFormat, useText } from '../../text/language.ts'
import { messages } from './messages.ts'
import { OneStepPage } from './one-step-page.tsx'

interface Changed {
  user: { email: string }
  ended_sessions: number
}

/** Changes the address of the user who is logged in: the route leads through the log-in page. */
export function ChangeEmail() {
  const text = useText(messages)
  const format = useFormat()
  const run = async (token: string) => {
    const session = await activeSession()
    const sent = { body: { token }, token: session?.token }
    const { user, ended_sessions } = await callAuth<Changed>('POST', 'change-email', sent)
    return text.changed(user.email, format.number(ended_sessions))
  }
  return (
    <OneStepPage
      title={text.changeTitle}
      doneTitle={text.changedTitle}
      intro={text.changeText}
      action={text.change}
      next={text.toConsole}
      run={run}
    />
  )
}
