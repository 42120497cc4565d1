import { useState } from 'react'
import { callAuth } from '../../session/rest.ts'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { FormFault } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Done, LinkPage, ToConsole } from './link-page.tsx'
import { linkFaultsOf, messages } from './messages.ts'
import { useLinkToken } from './use-link-token.ts'

const noFields: readonly string[] = []

export function ConfirmEmail() {
  const text = useText(messages)
  const token = useLinkToken()
  const [email, setEmail] = useState<string>()
  const { faults, isBusy, formProps } = useForm(async () => {
    const confirmed = await callAuth<{ email: string }>('POST', 'confirm-email', { body: { token } })
    setEmail(confirmed.email)
  })
  return (
    <LinkPage title={text.confirmTitle} token={token}>
      {email !== undefined ? (
        <Done action={<ToConsole label={text.toConsole} />}>{text.confirmed(email)}</Done>
      ) : (
        <form {...formProps} className="flex flex-col gap-4">
          <p>{text.confirmText}</p>
          <FormFault faults={linkFaultsOf(faults, text)} names={noFields} />
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.confirm}
          </Button>
        </form>
      )}
    </LinkPage>
  )
}
