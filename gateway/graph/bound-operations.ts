import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { maxCredentials } from '../../domain/byok/create-credential.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { complexityRule } from './complexity-rule.ts'

/** The bounds of what one document may ask: depth, aliases, and what it may cost. */
export function boundOperations(config: Config): GatewayPlugin[] {
  return [
    maxDepthPlugin({ n: config.graphMaxDepth }),
    maxAliasesPlugin({ n: config.graphMaxAliases }),
    {
      onValidate({ addValidationRule }) {
        addValidationRule(
          complexityRule({ maxCost: config.graphMaxComplexity, listSizes: listSizesOf(config) }),
        )
      },
    },
  ]
}

/** What the plain lists that grow with an account hold at most. */
function listSizesOf(config: Config): ReadonlyMap<string, number> {
  return new Map([
    ['Account.apiKeys', config.maxKeys],
    ['Query.byokCredentials', maxCredentials],
    ['Account.byokCredentials', maxCredentials],
  ])
}
