import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import { maxTokensPlugin } from '@escape.tech/graphql-armor-max-tokens'
import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import type { Config } from '../../platform/config/read-config.ts'
import { complexityRule } from './complexity-rule.ts'

/** The bounds of what one document may ask: length, depth, aliases, and what it may cost. */
export function boundOperations(config: Config): GatewayPlugin[] {
  return [
    maxTokensPlugin({ n: config.graphMaxTokens }),
    maxDepthPlugin({ n: config.graphMaxDepth }),
    maxAliasesPlugin({ n: config.graphMaxAliases }),
    {
      onValidate({ addValidationRule }) {
        addValidationRule(complexityRule(config.graphMaxComplexity))
      },
    },
  ]
}
