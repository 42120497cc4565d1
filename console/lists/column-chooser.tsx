import { useText } from '../text/language.ts'
import { buttonClass } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { toggleColumn } from './chosen-columns.ts'
import { messages } from './messages.ts'

/** The button that chooses the columns of a table. */
export function ColumnChooser<Name extends string>({
  columns,
  shown,
  onChange,
  onReset,
}: {
  columns: readonly (readonly [name: Name, header: string])[]
  shown: readonly Name[]
  onChange(names: readonly Name[]): void
  /** Shows the usual columns again; `undefined` while they are shown. */
  onReset: (() => void) | undefined
}) {
  const text = useText(messages)
  const names = columns.map(([name]) => name)
  return (
    <Popover
      label={text.chooseColumns}
      triggerClass={buttonClass('secondary')}
      trigger={
        <>
          {text.columns}
          <Icon name="chevron" className="text-muted" />
        </>
      }
    >
      {() => (
        <fieldset className="flex flex-col gap-1 p-1.5">
          <legend className="sr-only">{text.columns}</legend>
          {columns.map(([name, header]) => (
            <Checkbox
              key={name}
              label={header}
              checked={shown.includes(name)}
              onChange={() => onChange(toggleColumn(shown, name, names))}
            />
          ))}
          {onReset && (
            <button type="button" className="mt-1 text-left text-sm text-muted underline" onClick={onReset}>
              {text.usualColumns}
            </button>
          )}
        </fieldset>
      )}
    </Popover>
  )
}
