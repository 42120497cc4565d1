import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql'
import { LRUCache } from 'lru-cache'
import { checkNames } from '../../subgraphs/runtime/check-names.ts'
import { checkNesting, checkRepeats, checkSchemaFields, refusedQuery } from './check-document.ts'

/** A cache of parsed documents. */
interface Documents {
  /**
   * Parses a document. Throws a GraphQLError if it is too long, does not parse, or fails one of the checks: names,
   * nesting, repeated fields, schema fields.
   */
  read(text: string): DocumentNode
  /** The estimated memory of the cached documents, in bytes. */
  readonly keptBytes: number
}

/** Estimated memory per token of a document, including its query plan, in bytes. Measured at 250 to 1,000. */
const bytesPerToken = 1024

/**
 * Opens the cache. It keeps the most recently used documents, up to `maxKeptBytes`. Query plans and validation results
 * are cached by document and are garbage-collected with it. Refused documents are not cached.
 */
export function openDocuments(bounds: {
  maxTextBytes: number
  maxTokens: number
  maxKeptBytes: number
  /** Whether the document may be run. */
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
      if (allows?.(text) === false)
        throw refusedQuery('Only trusted documents are accepted. Send a documentId.')
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
 * Parses every document with `documents` and caches its validation result. This replaces the runtime's own cache, which
 * keeps 1,024 documents and as many errors of any size and cannot be configured.
 */
export function keepDocuments(documents: Documents): GatewayPlugin {
  const validated = new WeakMap<DocumentNode, { schema: GraphQLSchema; result: readonly Error[] }>()
  return {
    onPluginInit({ plugins }) {
      const own = plugins.filter(isRuntimesCache)
      if (own.length !== 1) throw new Error("The runtime's document cache has changed. Update keepDocuments")
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

/**
 * Returns whether a plugin is the runtime's cache. It has no name, but is the only plugin with exactly these two hooks.
 */
function isRuntimesCache(plugin: object): boolean {
  return Object.keys(plugin).sort().join() === 'onParse,onValidate'
}
