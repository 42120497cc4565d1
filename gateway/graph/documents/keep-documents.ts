import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Documents } from './documents.ts'

/**
 * Has every document read by `documents`, and keeps with each what validation said of it. It takes the place of the
 * runtime's own cache, which keeps 1,024 documents and as many errors however large they are, and has no setting.
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

/** It has no name: it is the one plugin that looks at a document when it is parsed and when it is validated. */
function isRuntimesCache(plugin: object): boolean {
  return Object.keys(plugin).sort().join() === 'onParse,onValidate'
}
