/** A column: its heading, and what it says of a row. Words are put to the left, figures to the right. */
export interface Column<Row> {
  heading: string
  cell(row: Row): string
  isFigure?: boolean
}

/** The rows as aligned lines under their headings. */
export function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map(column => column.heading),
    ...rows.map(row => columns.map(column => column.cell(row))),
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map(line => line[index]?.length ?? 0)))
  const pad = (text: string, index: number) =>
    columns[index]?.isFigure ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0)
  return cells.map(line => `  ${line.map(pad).join('  ')}`.trimEnd()).join('\n')
}
