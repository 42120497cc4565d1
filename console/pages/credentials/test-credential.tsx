import { useState } from 'react'
import { useMutation } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { credentialsContext, testCredentialDocument } from './documents.ts'
import { messages } from './messages.ts'

/** Sends one cheap request with a credential, and says whether the vendor accepted it. */
export function TestCredential({ id }: { id: string }) {
  const text = useText(messages)
  const format = useFormat()
  const [{ fetching }, test] = useMutation(testCredentialDocument)
  const [outcome, setOutcome] = useState<{ ok: boolean; message: string }>()
  const run = async () => {
    const { data, error } = await test({ input: { id } }, credentialsContext)
    const result = data?.testByokCredential?.test
    if (!result) return setOutcome({ ok: false, message: faultText(error) })
    const { ok, message, latencyMs } = result
    setOutcome({
      ok,
      message: ok ? text.testOk(message, format.duration(latencyMs)) : text.testFailed(message),
    })
  }
  return (
    <div className="flex max-w-full flex-col items-start gap-1 sm:items-end">
      <PermittedButton
        field="Mutation.testByokCredential"
        title={text.testing}
        isBusy={fetching}
        onClick={() => void run()}
      >
        {text.test}
      </PermittedButton>
      <p
        role="status"
        className={`max-w-xs text-sm break-words empty:hidden sm:text-right ${outcome?.ok ? 'text-ok' : 'text-danger'}`}
      >
        {outcome?.message}
      </p>
    </div>
  )
}
