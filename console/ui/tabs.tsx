import { Link, type LinkProps } from '@tanstack/react-router'

/** Links that choose one of several views of a part of a page. The choice is in the address. */
export function Tabs<Value extends string>({
  label,
  value,
  options,
  linkTo,
}: {
  /** Names the choice for screen readers. */
  label: string
  value: Value
  options: readonly (readonly [value: Value, text: string])[]
  linkTo(value: Value): Pick<LinkProps, 'to' | 'search'>
}) {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-1">
      {options.map(([name, text]) => (
        <Link
          key={name}
          {...linkTo(name)}
          replace
          className={`rounded-md px-2.5 py-1 text-sm hover:bg-hover hover:text-ink ${name === value ? 'bg-hover font-medium text-ink' : 'text-muted'}`}
          {...(name === value && { 'aria-current': 'true' })}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
