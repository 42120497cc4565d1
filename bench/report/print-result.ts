import { type Column, printTable } from './print-table.ts'
import { judge, type Result, type Row } from './result.ts'

/** Returns a result as a table with its targets, followed by its faults. */
export function printResult(title: string, { rows, faults }: Result): string {
  const names = new Set(rows.flatMap(({ figures }) => Object.keys(figures)))
  const columns: Column<Row>[] = [
    { heading: '', cell: ({ label }) => label },
    ...Array.from(names, heading => ({
      heading,
      cell: ({ figures }: Row) => (heading in figures ? formatFigure(figures[heading]!) : ''),
      isFigure: true,
    })),
    { heading: '', cell: verdictOf },
  ]
  const lines = [title, printTable(columns, rows), ...faults.map(fault => `  WRONG ${fault}`)]
  return `\n${lines.join('\n')}\n`
}

function verdictOf(row: Row): string {
  return judge(row)
    .map(({ target, isMet }) => `${target} ${isMet ? 'pass' : 'FAIL'}`)
    .join(', ')
}

/** Returns the summary of all results. */
export function printSummary({ faults, misses }: { faults: string[]; misses: string[] }): string {
  const lines = [
    faults.length === 0 ? 'Every response was correct, and the books balance.' : 'WRONG:',
    ...faults.map(fault => `  ${fault}`),
    misses.length === 0 ? 'No target was missed.' : 'Missed targets:',
    ...misses.map(miss => `  ${miss}`),
  ]
  return `\n${lines.join('\n')}\n`
}

/** Formats a figure with three significant digits; whole and large numbers without decimals. */
export function formatFigure(value: number): string {
  const size = Math.abs(value)
  if (Number.isInteger(value) || size >= 100)
    return value.toLocaleString('en-US', { maximumFractionDigits: 0 })
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3)
}
