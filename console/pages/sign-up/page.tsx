import { Link, useRouter } from '@tanstack/react-router'
import { callAuth } from '../../session/rest.ts'
import { beginSession, type SessionAnswer } from '../../session/session.ts'
import { EntryPage } from '../../shell/entry-page.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { EmailField, FormFault, TextField } from '../../ui/field.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { messages } from './messages.ts'

const fieldNames = ['email', 'password', 'name']

export default function SignUpPage() {
  const text = useText(messages)
  const router = useRouter()
  const { faults, isBusy, formProps } = useForm(async fields => {
    const name = textOf(fields, 'name')
    const body = {
      email: textOf(fields, 'email') ?? '',
      password: String(fields.get('password')),
      ...(name !== null && { name }),
    }
    beginSession(await callAuth<SessionAnswer>('POST', 'sign-up', { body }))
    await router.navigate({ to: '/first-steps' })
  })
  return (
    <EntryPage
      title={text.title}
      footer={
        <>
          {text.hasAccount}{' '}
          <Link to="/log-in" className="text-ink underline">
            {text.logIn}
          </Link>
        </>
      }
    >
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={fieldNames} />
        <EmailField faults={faults} />
        <TextField
          label={text.password}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          hint={text.passwordHint}
          faults={faults}
        />
        <TextField label={text.name} name="name" autoComplete="organization" faults={faults} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {text.submit}
        </Button>
      </form>
    </EntryPage>
  )
}
