import type { ReactNode } from 'react'

/** A column of a table. The service sorts, filters and pages, so a column only shows. */
export interface Column<Row> {
  id: string
  header: string
  cell(row: Row): ReactNode
  /** Numbers and amounts are aligned at the end. */
  align?: 'end'
  /** The width below which the column is hidden. */
  from?: 'sm' | 'md' | 'lg'
}

const hiddenBelow = {
  sm: 'max-sm:hidden',
  md: 'max-md:hidden',
  lg: 'max-lg:hidden',
} as const

/**
 * A table of records. On phones, a record is a block: the first value that phones show, at the right the last number or
 * action, and below them the other values with their names. A wide table scrolls inside of its own frame.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  dimmed = () => false,
  onPoint,
}: {
  /** Describes the table for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** Whether a row is shown as no longer in use. */
  dimmed?(row: Row): boolean
  /** Called with the row under the pointer or with the focus, and with `undefined` when it is left. */
  onPoint?(row: Row | undefined): void
}) {
  const place = ({ align, from }: Column<Row>) =>
    `${align === 'end' ? 'text-right sm:whitespace-nowrap' : 'text-left'} ${from ? hiddenBelow[from] : ''}`
  const main = columns.find(({ from }) => !from)
  const atEnd = columns.findLast(({ align, from }) => align === 'end' && !from)
  const blockPlace = (column: Column<Row>) => {
    if (column === main || column.from) return ''
    return column === atEnd
      ? 'max-sm:col-start-2 max-sm:row-start-1'
      : 'max-sm:col-span-2 max-sm:flex max-sm:gap-2 max-sm:text-sm'
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-sm text-muted">
            {columns.map(column => (
              <th
                key={column.id}
                scope="col"
                className={`px-3 py-2 font-medium first:pl-5 last:pr-5 ${place(column)}`}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map(row => (
            <tr
              key={keyOf(row)}
              {...(onPoint && {
                onPointerEnter: () => onPoint(row),
                onPointerLeave: () => onPoint(undefined),
                onFocus: () => onPoint(row),
                onBlur: () => onPoint(undefined),
              })}
              className={`border-b border-line last:border-0 hover:bg-hover max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:items-baseline max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3 ${dimmed(row) ? 'text-muted' : ''}`}
            >
              {columns.map(column => (
                <td
                  key={column.id}
                  className={`sm:px-3 sm:py-2.5 sm:first:pl-5 sm:last:pr-5 ${place(column)} ${blockPlace(column)}`}
                >
                  {column !== main && column !== atEnd && (
                    <span aria-hidden="true" className="text-muted sm:hidden">
                      {column.header}
                    </span>
                  )}
                  <div className="min-w-0 sm:contents">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
