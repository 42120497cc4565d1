import { Readable } from 'node:stream'
import { isRecord } from '../../platform/checks.ts'
import type { Log } from '../../platform/log.ts'
import { maxPageSize } from '../../subgraphs/runtime/connections.ts'
import { csvLine } from './csv-line.ts'

/** The export formats of a list, which are also the endings of its path. */
export const exportFormats = ['ndjson', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** Maximum duration of an export, in milliseconds. A longer export ends with a broken connection. */
const maxExportMs = 600_000

/** One page of a list in REST. */
interface Page {
  records: Record<string, unknown>[]
  endCursor: string | null
}

/**
 * Returns all pages of a list as one stream of text. The first page is read before this function resolves, so that its
 * errors can still be answered. Further pages are read as the client reads the stream, so that one page is in memory at
 * a time. The connection is cut if the client reads nothing for `stalledReaderMs`, if the export takes longer than
 * `maxExportMs`, or if a page fails.
 */
export async function exportPages(options: {
  format: ExportFormat
  /** The field names of a record, in order. */
  fields: readonly string[]
  stalledReaderMs: number
  log: Log
  /** Returns a page in REST format: `data` and `page_info`. */
  readPage(variables: { first: number; after?: string }): Promise<unknown>
}): Promise<Readable> {
  const { format, fields, stalledReaderMs, log } = options
  const print = format === 'csv' ? printCsv(fields) : printJson
  const deadline = performance.now() + maxExportMs
  const first = pageIn(await options.readPage({ first: maxPageSize }))
  const stream = Readable.from(texts(), { objectMode: false, highWaterMark: 65_536 })
  return stream

  async function* texts(): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(fields)
    for (let page: Page = first; ; ) {
      if (page.records.length > 0) {
        const timer = setTimeout(() => stream.destroy(new Error('left unread')), stalledReaderMs)
        try {
          yield page.records.map(print).join('')
        } finally {
          clearTimeout(timer)
        }
      }
      if (page.endCursor === null) return
      if (performance.now() > deadline) throw new Error('the export took too long')
      page = await readNext(page.endCursor)
    }
  }

  async function readNext(after: string): Promise<Page> {
    try {
      return pageIn(await options.readPage({ first: maxPageSize, after }))
    } catch (error) {
      log.warn({ err: error }, 'an export ended early')
      throw error
    }
  }
}

function pageIn(answer: unknown): Page {
  const { data, page_info: info } = isRecord(answer) ? answer : {}
  const records = Array.isArray(data) ? data.filter(isRecord) : []
  const isMore = isRecord(info) && info.has_next_page === true && typeof info.end_cursor === 'string'
  return { records, endCursor: isMore ? String(info.end_cursor) : null }
}

function printJson(record: Record<string, unknown>): string {
  return `${JSON.stringify(record)}\n`
}

function printCsv(fields: readonly string[]) {
  return (record: Record<string, unknown>) => csvLine(fields.map(name => record[name]))
}
