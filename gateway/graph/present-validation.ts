import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import type { MaskError } from './mask-error.ts'

/** Presents what validation says like every other error of the graph. */
export function presentValidation(mask: MaskError): GatewayPlugin {
  return {
    onValidate: () => {
      return ({ valid, result, setResult }) => {
        if (!valid) setResult(result.map(mask))
      }
    },
  }
}
