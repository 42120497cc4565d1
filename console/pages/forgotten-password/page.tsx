import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callAuth } from '../../session/rest.ts'
import { EntryPage } from '../../shell/entry-page.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { EmailField, FormFault } from '../../ui/field.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { messages } from './messages.ts'

const fieldNames = ['email']

export default function ForgottenPasswordPage() {
  const text = useText(messages)
  const [isSent, setIsSent] = useState(false)
  const { faults, isBusy, formProps } = useForm(async fields => {
    await callAuth('POST', 'request-password-reset', { body: { email: textOf(fields, 'email') ?? '' } })
    setIsSent(true)
  })
  return (
    <EntryPage title={text.title}>
      <p role="status">{isSent ? text.sent : text.intro}</p>
      {!isSent && (
        <form {...formProps} className="flex flex-col gap-4">
          <FormFault faults={faults} names={fieldNames} />
          <EmailField faults={faults} />
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.submit}
          </Button>
        </form>
      )}
      <Link to="/log-in" className="self-center text-sm text-muted underline hover:text-ink">
        {text.back}
      </Link>
    </EntryPage>
  )
}
