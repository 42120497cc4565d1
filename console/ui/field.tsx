import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import type { Faults } from '../graph/faults.ts'
import { useText } from '../text/language.ts'
import { messages } from './messages.ts'

const box =
  'w-full rounded-md border bg-surface px-3 h-9 text-base placeholder:text-muted aria-invalid:border-danger disabled:opacity-55'

interface Around {
  label: ReactNode
  /** The parameter of the operation that the field sets. A fault of this parameter is shown below the field. */
  name: string
  hint?: ReactNode
  faults?: Faults | undefined
}

/** The attributes that connect a control with its hint and its fault, and their elements. */
function useField({ label, name, hint, faults }: Around) {
  const id = useId()
  const fault = faultOf(faults, name)
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean)
  const control = {
    id,
    name,
    'aria-invalid': fault !== undefined || undefined,
    'aria-describedby': described.join(' ') || undefined,
  }
  const around = (shown: ReactNode) => (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {shown}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="text-sm text-danger">
          {fault}
        </p>
      )}
    </div>
  )
  return { control, around }
}

/** Returns the message about a field or one of its items: `ipWhitelist[0]` belongs to `ipWhitelist`. */
function faultOf(faults: Faults | undefined, name: string): string | undefined {
  const found = [...(faults?.fields ?? [])].filter(
    ([param]) => param === name || param.startsWith(`${name}[`),
  )
  return found.map(([, message]) => message).join(' ') || undefined
}

export function TextField({ label, hint, faults, ...input }: Around & InputHTMLAttributes<HTMLInputElement>) {
  const { control, around } = useField({ label, hint, faults, name: input.name })
  return around(<input {...input} {...control} className={`${box} border-control`} />)
}

/** A field for several lines. It grows with its text up to a third of the window. */
export function AreaField({
  label,
  hint,
  faults,
  className = '',
  ...area
}: Around & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { control, around } = useField({ label, hint, faults, name: area.name })
  return around(
    <textarea
      {...area}
      {...control}
      className={`field-sizing-content max-h-[33vh] min-h-9 w-full resize-y rounded-md border border-control bg-surface px-3 py-1.5 text-base placeholder:text-muted aria-invalid:border-danger disabled:opacity-55 ${className}`}
    />,
  )
}

/** The e-mail address of a user who signs up or logs in. */
export function EmailField(
  input: Pick<Around, 'faults'> & Pick<InputHTMLAttributes<HTMLInputElement>, 'defaultValue'>,
) {
  const text = useText(messages)
  return (
    <TextField label={text.email} name="email" type="email" autoComplete="username" required {...input} />
  )
}

/** The field of a new password of a user. */
export function NewPasswordField(
  input: Pick<Around, 'name' | 'faults'> & Pick<InputHTMLAttributes<HTMLInputElement>, 'autoFocus'>,
) {
  const text = useText(messages)
  return (
    <TextField
      label={text.newPassword}
      hint={text.passwordHint}
      type="password"
      autoComplete="new-password"
      required
      {...input}
    />
  )
}

export function SelectField({
  label,
  hint,
  faults,
  options,
  ...select
}: Around & SelectHTMLAttributes<HTMLSelectElement> & { options: readonly [value: string, text: string][] }) {
  const { control, around } = useField({ label, hint, faults, name: select.name })
  return around(
    <select {...select} {...control} className={`${box} border-control`}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>,
  )
}

export function Checkbox({ label, ...input }: { label: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex items-start gap-2">
      <input type="checkbox" {...input} className="mt-0.5 size-4 accent-accent-fill" />
      <span>{label}</span>
    </label>
  )
}

/** The faults of a form that belong to no field in `names`. Screen readers announce them. */
export function FormFault({ faults, names }: { faults: Faults | undefined; names: readonly string[] }) {
  const isShown = (param: string) => names.some(name => param === name || param.startsWith(`${name}[`))
  const others = [...(faults?.fields ?? [])].filter(([param]) => !isShown(param))
  const text = [faults?.general, ...others.map(([param, message]) => `${param}: ${message}`)].filter(Boolean)
  return (
    <div
      role="alert"
      className={text.length > 0 ? 'rounded-md bg-danger-soft px-3 py-2 text-sm text-danger' : 'absolute'}
    >
      {text.join(' ')}
    </div>
  )
}
