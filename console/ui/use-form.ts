import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type Faults, faultsOf } from '../graph/faults.ts'

/**
 * Submits a form. `submit` gets the form's fields and throws the error of the operation, whose faults are then shown. The
 * first invalid field gets the focus.
 */
export function useForm(submit: (fields: FormData) => Promise<void>) {
  const [faults, setFaults] = useState<Faults>()
  const [isBusy, setIsBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (faults) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [faults])
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setIsBusy(true)
    submit(new FormData(event.currentTarget))
      .then(() => setFaults(undefined))
      .catch(error => {
        setFaults(faultsOf(error))
      })
      .finally(() => setIsBusy(false))
  }
  return { faults, isBusy, formProps: { ref: form, onSubmit, noValidate: false } }
}

/** Returns a text field of a form, or `null` if it is empty. */
export function textOf(fields: FormData, name: string): string | null {
  const value = fields.get(name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** Returns a field as a number, or `null` if it is empty. */
export function numberOf(fields: FormData, name: string): number | null {
  const text = textOf(fields, name)
  return text === null ? null : Number(text)
}
