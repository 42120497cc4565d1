import { anthropic } from './anthropic/routes.ts'
import { bedrock } from './bedrock/routes.ts'
import { controlRoutes } from './calls/routes.ts'
import { openai } from './openai/routes.ts'
import type { WireFormat } from './server/exchange.ts'

/** Every wire format that the simulator speaks: a folder each, listed here and nowhere else. */
export const wireFormats: readonly WireFormat[] = [controlRoutes, openai, anthropic, bedrock]
