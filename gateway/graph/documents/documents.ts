import { type DocumentNode, parse } from 'graphql'
import { LRUCache } from 'lru-cache'
import { checkNames } from '../../../subgraphs/runtime/check-names.ts'
import { checkNesting, checkRepeats, checkSchemaFields, refusedQuery } from './check-document.ts'

/** The documents that clients send, parsed; what was sent lately is kept. */
export interface Documents {
  /**
   * Parses a document. Throws a GraphQLError for one that is too long, that does not parse, that uses names which
   * reach what all objects inherit, whose values nest too deep, or that asks for one field too often.
   */
  read(text: string): DocumentNode
  /** What the documents kept are taken to weigh, in bytes. */
  readonly keptBytes: number
}

/** What a token of a document weighs in bytes, with its plan and what else hangs on it: measured at 250 to 1,000. */
const bytesPerToken = 1024

/**
 * Opens the documents. At most `maxKeptBytes` of them are kept, those used last; plans and results of validation
 * hang on them, and go with them. What is refused is not kept.
 */
export function openDocuments(bounds: {
  maxTextBytes: number
  maxTokens: number
  maxKeptBytes: number
}): Documents {
  const { maxTextBytes, maxTokens, maxKeptBytes } = bounds
  const kept = new LRUCache<string, DocumentNode>({
    maxSize: maxKeptBytes,
    sizeCalculation: (document, text) => 2 * text.length + bytesPerToken * (document.tokenCount ?? maxTokens),
  })
  return {
    read(text) {
      const known = kept.get(text)
      if (known) return known
      if (Buffer.byteLength(text) > maxTextBytes)
        throw refusedQuery(`query must have at most ${maxTextBytes} bytes.`)
      const document = parse(text, { maxTokens })
      const [error] = [
        ...checkNames(document),
        ...checkNesting(document),
        ...checkRepeats(document),
        ...checkSchemaFields(document),
      ]
      if (error) throw error
      kept.set(text, document)
      return document
    },
    get keptBytes() {
      return kept.calculatedSize
    },
  }
}
