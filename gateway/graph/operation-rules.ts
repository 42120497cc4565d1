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
import type { ControlLimits } from './control-limits.ts'
import { literalRule, presentLiteralFaults } from './literal-faults.ts'

/** Maximum number of aliases in a document. */
const maxAliases = 15

/** Limits the depth, the number of aliases and the cost of a document. */
export function boundOperations(
  config: Config,
  { graphMaxDepth: maxDepth }: Pick<ControlLimits, 'graphMaxDepth'>,
): GatewayPlugin[] {
  return [maxDepthPlugin({ n: maxDepth }), maxAliasesPlugin({ n: maxAliases }), boundCost(config, maxDepth)]
}

/** Limits the cost of a document. The result's extensions contain its cost and the maximum. */
function boundCost(config: Config, maxDepth: number): GatewayPlugin {
  const costs = new WeakMap<OperationDefinitionNode, number>()
  const maxCost = config.graphMaxComplexity
  const rule = complexityRule({
    maxCost,
    maxDepth,
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
      if (requested === undefined) return undefined // a REST route
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

/** Returns the maximum size of each list without pages that grows with an account. */
function listSizesOf(config: Config): ReadonlyMap<string, number> {
  return new Map([
    ['Account.apiKeys', (config.allowances.get('keys') ?? allowanceTable.keys).paying],
    ['CallbackDelivery.tries', maxTries],
    ['Account.balanceAlerts', maxAlerts],
    ['Query.byokCredentials', maxCredentials],
    ['Account.byokCredentials', maxCredentials],
  ])
}

/** Refuses documents with an invalid literal value (see `literalRule`). */
export function validateLiterals(): GatewayPlugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(literalRule)
    },
  }
}

/**
 * Converts validation errors to the format of the graph's other errors. If introspection is off, they suggest no names,
 * because suggestions would reveal the schema.
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
  const { message, nodes = null, source, positions, path, originalError, extensions } = error
  const shortened = message.replace(/ Did you mean .*$/s, '')
  return new GraphQLError(shortened, { nodes, source, positions, path, originalError, extensions })
}

/**
 * Refuses invalid variables, each with an error that names its parameter. Refuses an `operationName` that is not in the
 * document, because the query planner would cache an error for each such name.
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
  const message = 'operationName must be the name of an operation in the document.'
  return [presented(new Problem('invalid_request', { param: 'operationName', message }))]
}

/**
 * Refuses a subscription over HTTP before it starts if the client does not accept an event stream. The runtime would
 * start the subscription, answer 406 and never end it.
 */
export function refuseUnstreamed(): GatewayPlugin {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const request: Request | undefined = args.contextValue.request
      const accept = request?.headers.get('accept')
      const overWebSocket = args.contextValue.connectionParams !== undefined
      if (overWebSocket || accept?.includes('text/event-stream')) return
      const message = 'Subscriptions require the header `Accept: text/event-stream` or a WebSocket.'
      const problem = new Problem('invalid_request', { message })
      setResultAndStopExecution({ errors: [presented(problem)] })
    },
  }
}
