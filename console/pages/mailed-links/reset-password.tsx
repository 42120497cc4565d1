import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callAuth } from '../../session/rest.ts'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, FormFault, NewPasswordField } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Done, LinkPage, ToConsole } from './link-page.tsx'
import { linkFaultsOf, messages } from './messages.ts'
import { useLinkToken } from './use-link-token.ts'

const fieldNames = ['new_password']

export function ResetPassword() {
  const text = useText(messages)
  const token = useLinkToken()
  const [isDone, setIsDone] = useState(false)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const body = {
      token,
      new_password: String(fields.get('new_password')),
      revoke_api_keys: fields.has('revoke_api_keys'),
    }
    await callAuth('POST', 'reset-password', { body })
    setIsDone(true)
  })
  return (
    <LinkPage title={isDone ? text.resetDoneTitle : text.resetTitle} token={token}>
      {isDone ? (
        <Done action={<ToConsole label={text.logIn} />}>{text.reset}</Done>
      ) : (
        <form {...formProps} className="flex flex-col gap-4">
          <p>{text.resetText}</p>
          <FormFault faults={linkFaultsOf(faults, text)} names={fieldNames} />
          {faults?.problems.includes('link_refused') && (
            <Link to="/forgotten-password" className="underline">
              {text.requestAgain}
            </Link>
          )}
          <NewPasswordField name="new_password" faults={faults} />
          <Checkbox label={text.revokeKeys} name="revoke_api_keys" />
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.setPassword}
          </Button>
        </form>
      )}
    </LinkPage>
  )
}
