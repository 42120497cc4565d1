import type { ReactNode } from 'react'

/** A column of a table. The service sorts, filters and pages, so a column only shows. */
export interface Column<Row> {
  id: string
  header: string
  cell(row: Row): ReactNode
  /** Numbers and amounts are aligned at the end. */
  align?: 'end'
  /** The width of the table's frame below which the column is hidden. */
  from?: keyof typeof hiddenBelow
}

/** Widths of 36, 42 and 56 rem. Cells show the values of hidden columns with `@xl:hidden`, `@2xl:hidden`, `@4xl:hidden`. */
const hiddenBelow = {
  xl: '@max-xl:hidden',
  '2xl': '@max-2xl:hidden',
  '4xl': '@max-4xl:hidden',
} as const

const widths = ['xl', '2xl', '4xl'] as const

/** The space before the first column that is shown, and after the last one. */
const startEdge = {
  always: '@md:pl-5',
  xl: '@md:@max-xl:pl-5',
  '2xl': '@md:@max-2xl:pl-5',
  '4xl': '@md:@max-4xl:pl-5',
} as const
const endEdge = {
  always: '@md:pr-5',
  xl: '@md:@max-xl:pr-5',
  '2xl': '@md:@max-2xl:pr-5',
  '4xl': '@md:@max-4xl:pr-5',
} as const

/**
 * A table of records. What it shows depends on the width of its frame, not of the window. In a frame below 28 rem, a
 * record is a block: the first value, at the right the last number or action, and below them the other values with their
 * names. A wide table scrolls inside of its own frame.
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
  const place = (column: Column<Row>) => {
    const { align, from } = column
    const index = columns.indexOf(column)
    return [
      align === 'end' ? 'text-right @md:whitespace-nowrap' : 'text-left',
      from && hiddenBelow[from],
      edge(columns.slice(0, index), startEdge),
      edge(columns.slice(index + 1), endEdge),
    ].join(' ')
  }
  const main = columns.find(({ from }) => !from)
  const atEnd = columns.findLast(({ align, from }) => align === 'end' && !from)
  const blockPlace = (column: Column<Row>) => {
    if (column === main || column.from) return ''
    return column === atEnd
      ? '@max-md:col-start-2 @max-md:row-start-1'
      : '@max-md:col-span-2 @max-md:flex @max-md:gap-2 @max-md:text-sm'
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section aria-label={caption} tabIndex={0} className="@container overflow-x-auto">
      <table className="w-full border-collapse @max-md:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="@max-md:sr-only">
          <tr className="border-b border-line text-sm text-muted">
            {columns.map(column => (
              <th key={column.id} scope="col" className={`px-3 py-2 font-medium ${place(column)}`}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="@max-md:block">
          {rows.map(row => (
            <tr
              key={keyOf(row)}
              {...(onPoint && {
                onPointerEnter: () => onPoint(row),
                onPointerLeave: () => onPoint(undefined),
                onFocus: () => onPoint(row),
                onBlur: () => onPoint(undefined),
              })}
              className={`border-b border-line last:border-0 hover:bg-hover @max-md:grid @max-md:grid-cols-[minmax(0,1fr)_auto] @max-md:items-baseline @max-md:gap-x-3 @max-md:gap-y-1 @max-md:px-5 @max-md:py-3 ${dimmed(row) ? 'text-muted' : ''}`}
            >
              {columns.map(column => (
                <td key={column.id} className={`@md:px-3 @md:py-2.5 ${place(column)} ${blockPlace(column)}`}>
                  {column !== main && column !== atEnd && (
                    <span aria-hidden="true" className="text-muted @md:hidden">
                      {column.header}
                    </span>
                  )}
                  <div className="min-w-0 @md:contents">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The class of a column at the edge of a table while all columns `outside` of it are hidden. */
function edge<Row>(outside: readonly Column<Row>[], classes: typeof startEdge | typeof endEdge): string {
  if (outside.some(({ from }) => from === undefined)) return ''
  return classes[widths.find(width => outside.some(({ from }) => from === width)) ?? 'always']
}
