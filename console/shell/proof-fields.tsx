import type { Faults } from '../graph/faults.ts'
import type { ProofMethod } from '../session/passkey.ts'
import { useText } from '../text/language.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { messages } from './proof-messages.ts'

/** Returns the method that is offered first, or undefined if there is none. */
export function firstMethod(methods: readonly ProofMethod[]): ProofMethod | undefined {
  return (['totp', 'passkey', 'recovery_code'] as const).find(method => methods.includes(method))
}

/** The field of a second factor. A passkey has none. */
export function ProofField({
  method,
  faults,
}: {
  method: ProofMethod | undefined
  faults: Faults | undefined
}) {
  const text = useText(messages)
  if (method === 'totp')
    return (
      <TextField
        key="totp"
        label={text.code}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
        faults={faults}
      />
    )
  if (method !== 'recovery_code') return null
  return (
    <TextField
      key="recovery"
      label={text.recoveryCode}
      name="recovery_code"
      autoComplete="off"
      required
      autoFocus
      faults={faults}
    />
  )
}

/** The buttons that change to another method. */
export function OtherMethods({
  methods,
  method,
  onChange,
}: {
  methods: readonly ProofMethod[]
  method: ProofMethod | undefined
  onChange(method: ProofMethod): void
}) {
  const text = useText(messages)
  const names = { totp: text.useCode, passkey: text.usePasskey, recovery_code: text.useRecoveryCode }
  return methods
    .filter(other => other !== method)
    .map(other => (
      <Button key={other} kind="quiet" onClick={() => onChange(other)}>
        {names[other]}
      </Button>
    ))
}
