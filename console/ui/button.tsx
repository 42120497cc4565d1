import type { ButtonHTMLAttributes } from 'react'
import { Icon, type IconName } from './icon.tsx'

const kinds = {
  primary: 'bg-accent-fill text-on-accent hover:bg-accent-hover border-transparent',
  secondary: 'bg-surface hover:bg-hover border-line shadow-raised',
  quiet: 'border-transparent text-muted hover:text-ink hover:bg-hover',
  danger: 'bg-surface text-danger hover:bg-danger-soft border-line shadow-raised',
} as const

const shape =
  'inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap transition-colors disabled:opacity-55 aria-disabled:opacity-55'

/** A quiet button at the end of a row of a table: its text is aligned with the column, and the row is not higher. */
export const rowAction = '-my-1.5 -mr-3.5'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: keyof typeof kinds
  icon?: IconName
  /** Whether the work that the button started is running. The button then cannot be pressed. */
  isBusy?: boolean
}

export function Button({ kind = 'secondary', icon, isBusy = false, className = '', ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={props.disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={`${shape} ${kinds[kind]} h-9 px-3.5 ${className}`}
    >
      {icon && <Icon name={icon} />}
      {props.children}
    </button>
  )
}

/** A button that shows an icon only. `label` names it for screen readers and on hover. */
export function IconButton({
  icon,
  label,
  className = '',
  ...props
}: ButtonHTMLAttributes<HTMLButtonElement> & { icon: IconName; label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...props}
      className={`${shape} ${kinds.quiet} size-8 ${className}`}
    >
      <Icon name={icon} />
    </button>
  )
}

/** The appearance of a button, for links. */
export function buttonClass(kind: keyof typeof kinds): string {
  return `${shape} ${kinds[kind]} h-9 px-3.5`
}
