import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { GraphQLError } from 'graphql'
import type { MaskError } from './mask-error.ts'

/**
 * Presents what validation says like every other error of the graph. Where the schema may not be asked for, without
 * the names that it suggests: they are the schema, a word at a time.
 */
export function presentValidation(mask: MaskError, { suggests }: { suggests: boolean }): GatewayPlugin {
  return {
    onValidate: () => {
      return ({ valid, result, setResult }) => {
        if (!valid) setResult(result.map(error => mask(suggests ? error : withoutSuggestion(error))))
      }
    },
  }
}

function withoutSuggestion(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error
  return new GraphQLError(error.message.replace(/ Did you mean .*$/s, ''), error)
}
