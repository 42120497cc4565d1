import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { type ExecutionArgs, GraphQLError, getOperationAST, type OperationDefinitionNode } from 'graphql'
import { maxAlerts } from '../../domain/alerts/change-balance-alerts.ts'
import { maxCredentials } from '../../domain/byok/create-credential.ts'
import { maxTries } from '../../domain/callbacks/send-again.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { allowanceTable } from '../../schema/allowances.ts'
import { Problem } from '../../schema/errors.ts'
import { checkVariables } from '../../subgraphs/runtime/check-variables.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'
import { complexityRule } from './complexity-rule.ts'
import { literalRule, presentLiteralFaults } from './literal-faults.ts'

/** Limits the depth, the aliases and the cost of a document. */
export function boundOperations(config: Config): GatewayPlugin[] {
  return [
    maxDepthPlugin({ n: config.graphMaxDepth }),
    maxAliasesPlugin({ n: config.graphMaxAliases }),
    boundCost(config),
  ]
}

/** Limits the cost of a document, and tells it with the result: what it costs, and what it may cost at most. */
function boundCost(config: Config): GatewayPlugin {
  const costs = new WeakMap<OperationDefinitionNode, number>()
  const maxCost = config.graphMaxComplexity
  const rule = complexityRule({
    maxCost,
    maxDepth: config.graphMaxDepth,
    listSizes: listSizesOf(config),
    onCost: (operation, cost) => costs.set(operation, cost),
  })
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(rule)
    },
    onExecute({ args }) {
      const operation = getOperationAST(args.document, args.operationName)
      const requested = operation && costs.get(operation)
      if (requested === undefined) return undefined // a row of the REST face
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return
          setResult({
            ...result,
            extensions: { ...result.extensions, cost: { requested, maximum: maxCost } },
          })
        },
      }
    },
  }
}

/** The largest size of each plain list that grows with an account. */
function listSizesOf(config: Config): ReadonlyMap<string, number> {
  return new Map([
    ['Account.apiKeys', (config.allowances.get('keys') ?? allowanceTable.keys).paying],
    ['CallbackDelivery.tries', maxTries],
    ['Account.balanceAlerts', maxAlerts],
    ['Query.byokCredentials', maxCredentials],
    ['Account.byokCredentials', maxCredentials],
  ])
}

/** Refuses documents with a value that is not valid (see `literalRule`). */
export function validateLiterals(): GatewayPlugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(literalRule)
    },
  }
}

/**
 * Presents errors of validation like every other error of the graph. With introspection off they suggest no
 * names, as suggestions would give the schema away.
 */
export function presentValidation(
  mask: (error: unknown) => GraphQLError,
  { suggests }: { suggests: boolean },
): GatewayPlugin {
  return {
    onValidate: ({ params: { schema, documentAST: document } }) => {
      return ({ valid, result, setResult }) => {
        if (valid) return
        const errors = presentLiteralFaults(result, { schema, document })
        setResult(errors.map(error => mask(suggests ? error : withoutSuggestion(error))))
      }
    },
  }
}

function withoutSuggestion(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error
  return new GraphQLError(error.message.replace(/ Did you mean .*$/s, ''), error)
}

/**
 * Refuses wrong variables, each with an error that names its parameter, and an `operationName` that the
 * document does not have: the planner would cache an error for every such name.
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

/**
 * Refuses a subscription over HTTP that the client cannot read as a stream, before it starts: the runtime
 * would start it, answer 406, and never end it.
 */
export function refuseUnstreamed(): GatewayPlugin {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const request: Request | undefined = args.contextValue.request
      const accept = request?.headers.get('accept')
      const overWebSocket = args.contextValue.connectionParams !== undefined
      if (overWebSocket || accept?.includes('text/event-stream')) return
      const message = 'Subscribe with `Accept: text/event-stream`, or over WebSocket.'
      const problem = new Problem('invalid_request', { message })
      setResultAndStopExecution({ errors: [presented(problem)] })
    },
  }
}
