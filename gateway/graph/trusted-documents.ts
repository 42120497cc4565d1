import { readFile } from 'node:fs/promises'
import { isRecord } from '../../platform/checks.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'

/** The documents that the operator trusts, by ID. */
export interface TrustedDocuments {
  /** Returns the text of a document. Throws `invalid_request` if the ID is unknown. */
  textOf(id: unknown): string
  /** Returns whether a document may be run. Every document may, unless only trusted documents are allowed. */
  allows(text: string): boolean
}

/**
 * Reads the file of trusted documents, which build tools of clients write: a JSON object that maps IDs, usually hashes,
 * to texts. Throws if the file has another format.
 */
export async function openTrustedDocuments({
  graphTrustedFile,
  graphTrustedOnly,
}: Pick<Config, 'graphTrustedFile' | 'graphTrustedOnly'>): Promise<TrustedDocuments> {
  if (graphTrustedOnly && graphTrustedFile === '')
    throw new Error('GRAPH_TRUSTED_ONLY requires GRAPH_TRUSTED_FILE')
  const texts = graphTrustedFile === '' ? new Map<string, string>() : await readDocuments(graphTrustedFile)
  const known = new Set(texts.values())
  return {
    textOf(id) {
      const text = typeof id === 'string' ? texts.get(id) : undefined
      if (text !== undefined) return text
      const message = 'documentId must be the ID of a trusted document.'
      throw new Problem('invalid_request', { param: 'documentId', message })
    },
    allows: text => !graphTrustedOnly || known.has(text),
  }
}

async function readDocuments(file: string): Promise<Map<string, string>> {
  const content: unknown = JSON.parse(await readFile(file, 'utf8'))
  const entries = isRecord(content) ? Object.entries(content) : []
  const texts = entries.flatMap(([id, text]) => (typeof text === 'string' ? [[id, text] as const] : []))
  if (texts.length > 0 && texts.length === entries.length) return new Map(texts)
  throw new Error('GRAPH_TRUSTED_FILE must be a JSON object that maps IDs to texts')
}
