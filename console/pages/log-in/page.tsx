import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { type Faults, faultsOf } from '../../graph/faults.ts'
import type { Challenge } from '../../session/passkey.ts'
import { EntryPage } from '../../shell/entry-page.tsx'
import { messages as proofMessages } from '../../shell/proof-messages.ts'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { EmailField, FormFault, TextField } from '../../ui/field.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { messages } from './messages.ts'
import { exchangeCode, logIn, logInWithPasskey } from './sign-in.ts'

const SecondStep = lazy(() => import('./second-step.tsx'))
const SingleSignOn = lazy(() => import('./single-sign-on.tsx'))

const route = getRouteApi('/log-in')
const noFields: readonly string[] = []
const fieldNames = ['email', 'password']

/** Reads what the address brings in its fragment, which no server sees, and removes it from the address. */
const fragment = new URLSearchParams(location.hash.slice(1))
if (fragment.size > 0) history.replaceState(history.state, '', location.pathname + location.search)

export default function LogInPage() {
  const text = useText(messages)
  const router = useRouter()
  const { next = '/' } = route.useSearch()
  const [challenge, setChallenge] = useState<Challenge>()
  const [usesIssuer, setUsesIssuer] = useState(false)
  const onDone = () => router.history.push(router.basepath + next)
  if (challenge || usesIssuer)
    return (
      <Suspense>
        {challenge ? (
          <SecondStep challenge={challenge} onDone={onDone} onBack={() => setChallenge(undefined)} />
        ) : (
          <SingleSignOn onBack={() => setUsesIssuer(false)} />
        )}
      </Suspense>
    )
  return (
    <EntryPage
      title={text.title}
      footer={
        <>
          {text.noAccount}{' '}
          <Link to="/sign-up" search={{ next }} className="text-ink underline">
            {text.signUp}
          </Link>
        </>
      }
    >
      <PasswordForm onChallenge={setChallenge} onDone={onDone} />
      <p className="text-center text-sm text-muted">{text.or}</p>
      <OtherWays onDone={onDone} onIssuer={() => setUsesIssuer(true)} />
    </EntryPage>
  )
}

function PasswordForm({ onChallenge, onDone }: { onChallenge(challenge: Challenge): void; onDone(): void }) {
  const text = useText(messages)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const email = textOf(fields, 'email') ?? ''
    const challenge = await logIn({ email, password: String(fields.get('password')) })
    if (challenge) onChallenge(challenge)
    else onDone()
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormFault faults={faults} names={fieldNames} />
      <EmailField defaultValue={fragment.get('email') ?? ''} faults={faults} />
      <TextField
        label={text.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        defaultValue={fragment.get('password') ?? ''}
        faults={faults}
      />
      <Button type="submit" kind="primary" isBusy={isBusy}>
        {text.submit}
      </Button>
      <Link to="/forgotten-password" className="self-center text-sm text-muted underline hover:text-ink">
        {text.forgotten}
      </Link>
    </form>
  )
}

/** Passkeys and single sign-on. A return from the issuer continues here. */
function OtherWays({ onDone, onIssuer }: { onDone(): void; onIssuer(): void }) {
  const text = useText(messages)
  const { passkeyFailed } = useText(proofMessages)
  const [faults, setFaults] = useState<Faults>()
  const run = (work: Promise<void>) => void work.then(onDone, error => setFaults(faultsOf(error)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is read once, when the page opens
  useEffect(() => {
    const [code, error] = [fragment.get('sso_code'), fragment.get('sso_error')]
    fragment.delete('sso_code') // It works once.
    if (code !== null) run(exchangeCode(code))
    if (error !== null) setFaults({ fields: new Map(), general: text.ssoFailed(error), problems: [error] })
  }, [])
  return (
    <div className="flex flex-col gap-2">
      <FormFault faults={faults} names={noFields} />
      <Button icon="key" onClick={() => run(logInWithPasskey(passkeyFailed))}>
        {text.passkey}
      </Button>
      <Button icon="person" onClick={onIssuer}>
        {text.singleSignOn}
      </Button>
    </div>
  )
}
