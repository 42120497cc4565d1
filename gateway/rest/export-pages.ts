import { Readable } from 'node:stream'
import { isRecord } from '../../platform/checks.ts'
import type { Log } from '../../platform/log.ts'
import { maxPageSize } from '../../subgraphs/runtime/connections.ts'
import { csvLine } from './csv-line.ts'

/** The formats that a list is exported in, as its address ends with them. */
export const exportFormats = ['ndjson', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** An export that takes longer ends with a broken connection, in milliseconds. */
const maxExportMs = 600_000

/** One page of a list, as REST answers it. */
interface Page {
  records: Record<string, unknown>[]
  endCursor: string | null
}

/**
 * All pages of a list as one stream of text, from its first page on, which is read before this resolves: what it throws
 * can still be answered. Pages are read as the client takes them, so that one is in memory at a time. A client that
 * reads nothing for `stalledReaderMs` is cut, and so is an export that takes ten minutes or whose next page fails:
 * then the answer has no proper end.
 */
export async function exportPages(options: {
  format: ExportFormat
  /** The names of the fields of a record, in their order. */
  fields: readonly string[]
  stalledReaderMs: number
  log: Log
  /** Answers a page as REST does: `data`, and `page_info`. */
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
