import { useState } from 'react'
import type { Challenge } from '../../session/passkey.ts'
import { EntryPage } from '../../shell/entry-page.tsx'
import { firstMethod, OtherMethods, ProofField } from '../../shell/proof-fields.tsx'
import { messages as proofMessages } from '../../shell/proof-messages.ts'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { FormFault } from '../../ui/field.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { messages } from './messages.ts'
import { completeLogIn, provePasskey } from './sign-in.ts'

const fieldNames = ['code', 'recovery_code']

/** The second step of a log-in: a code, a recovery code or a passkey. */
export default function SecondStep({
  challenge,
  onDone,
  onBack,
}: {
  challenge: Challenge
  onDone(): void
  onBack(): void
}) {
  const text = useText(messages)
  const proof = useText(proofMessages)
  const { methods } = challenge
  const [method, setMethod] = useState(firstMethod(methods))
  const { faults, isBusy, formProps } = useForm(async fields => {
    const [code, recoveryCode] = [textOf(fields, 'code'), textOf(fields, 'recovery_code')]
    if (method === 'passkey') await provePasskey(challenge, proof.passkeyFailed)
    else if (method === 'totp') await completeLogIn(challenge, { code: code ?? '' })
    else await completeLogIn(challenge, { recovery_code: recoveryCode ?? '' })
    onDone()
  })
  return (
    <EntryPage title={text.secondFactor}>
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={fieldNames} />
        <ProofField method={method} faults={faults} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {method === 'passkey' ? proof.usePasskey : proof.confirm}
        </Button>
        <OtherMethods methods={methods} method={method} onChange={setMethod} />
        <Button kind="quiet" onClick={onBack}>
          {text.back}
        </Button>
      </form>
    </EntryPage>
  )
}
