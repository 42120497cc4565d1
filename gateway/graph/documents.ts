import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql'
import { LRUCache } from 'lru-cache'
import { checkNames } from '../../subgraphs/runtime/check-names.ts'
import { checkNesting, checkRepeats, checkSchemaFields, refusedQuery } from './check-document.ts'

/** A cache of parsed documents. */
interface Documents {
  /**
   * Parses a document. Throws a GraphQLError for one that is too long, that does not parse, or that one of
   * the checks refuses: names, nesting, repeated fields, fields of the schema.
   */
  read(text: string): DocumentNode
  /** The estimated memory of the cached documents, in bytes. */
  readonly keptBytes: number
}

/** Estimated memory of a document per token, in bytes, its query plan included: measured at 250 to 1,000. */
const bytesPerToken = 1024

/**
 * Opens the cache. It keeps the documents used last, up to `maxKeptBytes`. Plans and results of validation
 * are cached by document, and are collected with it. A document that is refused is not cached.
 */
export function openDocuments(bounds: {
  maxTextBytes: number
  maxTokens: number
  maxKeptBytes: number
  /** Whether a document may be run at all. */
  allows?: (text: string) => boolean
}): Documents {
  const { maxTextBytes, maxTokens, maxKeptBytes, allows } = bounds
  const kept = new LRUCache<string, DocumentNode>({
    maxSize: maxKeptBytes,
    sizeCalculation: (document, text) => 2 * text.length + bytesPerToken * (document.tokenCount ?? maxTokens),
  })
  return {
    read(text) {
      const known = kept.get(text)
      if (known) return known
      if (allows?.(text) === false) throw refusedQuery('Only trusted documents are taken: send a documentId.')
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

/**
 * Parses every document by `documents`, and caches the result of its validation. It replaces the runtime's
 * own cache, which keeps 1,024 documents and as many errors, however large they are, and has no setting.
 */
export function keepDocuments(documents: Documents): GatewayPlugin {
  const validated = new WeakMap<DocumentNode, { schema: GraphQLSchema; result: readonly Error[] }>()
  return {
    onPluginInit({ plugins }) {
      const own = plugins.filter(isRuntimesCache)
      if (own.length !== 1)
        throw new Error('The runtime keeps documents otherwise than it did: see keep-documents')
      plugins.splice(plugins.indexOf(own[0]!), 1)
    },
    onParse({ setParseFn }) {
      setParseFn(text => documents.read(String(text)))
    },
    onValidate({ params: { schema, documentAST }, setResult }) {
      const known = validated.get(documentAST)
      if (known && known.schema === schema) return setResult(known.result)
      return ({ result }) => void validated.set(documentAST, { schema, result })
    },
  }
}

/** The runtime's plugin has no name: it is the only one with these two hooks and no other. */
function isRuntimesCache(plugin: object): boolean {
  return Object.keys(plugin).sort().join() === 'onParse,onValidate'
}
