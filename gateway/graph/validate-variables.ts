import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { type ExecutionArgs, type GraphQLError, getOperationAST } from 'graphql'
import { Problem } from '../../schema/errors.ts'
import { checkVariables } from '../../subgraphs/runtime/check-variables.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'

/**
 * Refuses an operation whose variables do not fit, with one error for each that names its parameter; and one that the
 * document does not hold: the planner would keep what it says about every such name.
 */
export function validateVariables(): GatewayPlugin {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const errors = faultsOf(args)
      if (errors.length > 0) setResultAndStopExecution({ errors })
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const errors = faultsOf(args)
      if (errors.length > 0) setResultAndStopExecution({ errors })
    },
  }
}

function faultsOf({ schema, document, operationName, variableValues }: ExecutionArgs): GraphQLError[] {
  if (getOperationAST(document, operationName))
    return checkVariables(schema, { document, operationName, variables: variableValues })
  const message = 'operationName must be the name of one operation of the document.'
  return [presented(new Problem('invalid_request', { param: 'operationName', message }))]
}
