import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { checkVariables } from '../../subgraphs/frame/execution/check-variables.ts'

/** Refuses an operation whose variables do not fit, with one error for each that names its parameter. */
export function validateVariables(): GatewayPlugin {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const errors = checkVariables(args.schema, {
        document: args.document,
        operationName: args.operationName,
        variables: args.variableValues,
      })
      if (errors.length > 0) setResultAndStopExecution({ errors })
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const errors = checkVariables(args.schema, {
        document: args.document,
        operationName: args.operationName,
        variables: args.variableValues,
      })
      if (errors.length > 0) setResultAndStopExecution({ errors })
    },
  }
}
