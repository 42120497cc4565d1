import { Fragment } from 'react'
import { useText } from '../../../text/language.ts'
import { type Column, Table } from '../../../ui/table.tsx'
import { type Difference, maxDifferences } from './differences.ts'
import { messages } from './messages.ts'

/** The values that differ between two versions, one row each. */
export function DifferenceTable({
  caption,
  differences,
  before,
  after,
}: {
  /** Describes the table for screen readers. */
  caption: string
  differences: readonly Difference[]
  /** The headings of the two versions. */
  before: string
  after: string
}) {
  const text = useText(messages)
  if (differences.length === 0) return <p className="text-muted">{text.same}</p>
  const columns: Column<Difference>[] = [
    { id: 'path', header: text.path, cell: ({ path }) => <Path path={path} /> },
    { id: 'before', header: before, cell: ({ before: value }) => <Value value={value} /> },
    { id: 'after', header: after, cell: ({ after: value }) => <Value value={value} /> },
  ]
  return (
    <>
      <div className="max-h-64 overflow-auto rounded-lg border border-line">
        <Table caption={caption} columns={columns} rows={differences} keyOf={({ path }) => path} />
      </div>
      {differences.length >= maxDifferences && <p className="text-sm text-muted">{text.moreDiffer}</p>}
    </>
  )
}

/** A path, which breaks before its dots only. */
function Path({ path }: { path: string }) {
  const [first, ...rest] = path.split('.')
  return (
    <code className="font-mono text-xs">
      {first || '–'}
      {rest.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path keep their order
        <Fragment key={index}>
          <wbr />.{part}
        </Fragment>
      ))}
    </code>
  )
}

function Value({ value }: { value: unknown }) {
  const text = useText(messages)
  if (value === undefined) return <span className="text-sm text-muted italic">{text.missing}</span>
  return <code className="font-mono text-xs wrap-anywhere">{JSON.stringify(value)}</code>
}
