import { useLanguage, useText } from '../text/language.ts'
import { Badge } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { messages } from './messages.ts'
import { limitText, resourceText, resourceTexts, windowText } from './resources.ts'

interface Allowance {
  resource: string
  limit: number
  unit: string
  windowSeconds: number | null
  isOwn: boolean
}

/** The limits of an account. With `onChoose`, the name of a resource is a button. */
export function AllowanceTable({
  caption,
  allowances,
  onChoose,
}: {
  /** Describes the table for screen readers. */
  caption: string
  allowances: readonly Allowance[]
  onChoose?(resource: string): void
}) {
  const text = useText(messages)
  const language = useLanguage()
  const resources = useText(resourceTexts)
  const columns: Column<Allowance>[] = [
    {
      id: 'resource',
      header: text.resource,
      cell: ({ resource, isOwn }) => {
        const name = resourceText(resources, resource)
        return (
          <>
            {onChoose ? (
              <button type="button" className="text-left hover:underline" onClick={() => onChoose(resource)}>
                {name}
              </button>
            ) : (
              name
            )}{' '}
            {isOwn && <Badge>{text.own}</Badge>}
            <code className="block font-mono text-xs wrap-anywhere text-muted">{resource}</code>
          </>
        )
      },
    },
    {
      id: 'limit',
      header: text.limit,
      align: 'end',
      cell: allowance => (
        <>
          <span className="block whitespace-nowrap">{limitText(allowance, language)}</span>
          <span className="block text-sm text-muted @md:whitespace-nowrap">
            {allowance.windowSeconds === null
              ? text.atOnce
              : text.inWindow(windowText(allowance.windowSeconds, language))}
          </span>
        </>
      ),
    },
  ]
  return <Table caption={caption} columns={columns} rows={allowances} keyOf={({ resource }) => resource} />
}
