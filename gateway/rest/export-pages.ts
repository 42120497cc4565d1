import { isRecord } from '../../platform/checks.ts'
import { maxPageSize } from '../../subgraphs/runtime/connections.ts'
import { csvLine } from './csv-line.ts'

/** The export formats of a list, which are also the endings of its path. */
export const exportFormats = ['ndjson', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** Returns a page of a list in REST format, `data` and `page_info`; or a list that is not paged, or a single record. */
export type ReadPage = (slice: { first: number; after?: string }) => Promise<unknown>

/** Yields a list as texts in a format, one for each page. The first text is the header and the first page. */
export async function* exportPages(options: {
  format: ExportFormat
  /** The field names of a record, in order. */
  fields: readonly string[]
  readPage: ReadPage
}): AsyncGenerator<string> {
  const { format, fields, readPage } = options
  const print = format === 'csv' ? printCsv(fields) : printJson
  let head = format === 'csv' ? csvLine(fields) : ''
  for await (const records of recordsOf(readPage)) {
    yield head + records.map(print).join('')
    head = ''
  }
}

/** Yields the records of each page. A page is read when the previous one has been consumed. */
export async function* recordsOf(readPage: ReadPage): AsyncGenerator<Record<string, unknown>[]> {
  for (let after: string | undefined; ; ) {
    const page = await readPage({ first: maxPageSize, ...(after !== undefined && { after }) })
    const { data = page, page_info: info } = isRecord(page) ? page : { data: page }
    yield [data].flat().filter(isRecord)
    const isMore = isRecord(info) && info.has_next_page === true && typeof info.end_cursor === 'string'
    if (!isMore) return
    after = String(info.end_cursor)
  }
}

/** Returns a record as a line of NDJSON. */
export function printJson(record: Record<string, unknown>): string {
  return `${JSON.stringify(record)}\n`
}

function printCsv(fields: readonly string[]) {
  return (record: Record<string, unknown>) => csvLine(fields.map(name => record[name]))
}
