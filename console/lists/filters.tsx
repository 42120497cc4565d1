import { type ChangeEvent, type ReactNode, useId } from 'react'
import { useText } from '../text/language.ts'
import { Button } from '../ui/button.tsx'
import { messages } from './messages.ts'

const box = 'h-9 w-full rounded-md border border-control bg-surface px-2.5'
const around = 'flex min-w-0 flex-1 basis-32 flex-col gap-1 sm:max-w-56'

/** The filters of a list. Each is a parameter of the address. If one is set, a button clears all of them. */
export function Filters({
  isFiltered,
  onClear,
  children,
}: {
  isFiltered: boolean
  onClear(): void
  children: ReactNode
}) {
  const text = useText(messages)
  return (
    <section aria-label={text.filters} className="flex flex-wrap items-end gap-3">
      {children}
      {isFiltered && (
        <Button kind="quiet" icon="close" onClick={onClear}>
          {text.clearFilters}
        </Button>
      )}
    </section>
  )
}

/** A filter with one of several values. */
export function FilterSelect({
  label,
  none,
  value = '',
  options,
  onChange,
}: {
  label: string
  /** The text of the option that does not filter, by default “All”. With null, a value is always chosen. */
  none?: string | null
  value: string | undefined
  options: readonly (readonly [value: string, text: string])[]
  onChange(value: string): void
}) {
  const id = useId()
  const { all } = useText(messages)
  return (
    <div className={around}>
      <label htmlFor={id} className="text-xs font-medium text-muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event: ChangeEvent<HTMLSelectElement>) => onChange(event.target.value)}
        className={box}
      >
        {none !== null && <option value="">{none ?? all}</option>}
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A filter with a text, or with another type of input such as `date`. It applies on Enter, and when the field is left. */
export function FilterText({
  label,
  value = '',
  type = 'search',
  placeholder,
  onChange,
}: {
  label: string
  value: string | undefined
  type?: 'search' | 'date'
  placeholder?: string
  onChange(value: string): void
}) {
  const id = useId()
  const apply = (entered: string) => {
    if (entered.trim() !== value) onChange(entered.trim())
  }
  return (
    <div className={`${around} ${type === 'search' ? 'max-sm:basis-full' : ''}`}>
      <label htmlFor={id} className="text-xs font-medium text-muted">
        {label}
      </label>
      <input
        key={value}
        id={id}
        type={type}
        defaultValue={value}
        maxLength={200}
        placeholder={placeholder}
        onBlur={event => apply(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') apply(event.currentTarget.value)
        }}
        className={box}
      />
    </div>
  )
}
