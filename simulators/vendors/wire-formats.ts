import { anthropic } from './anthropic/routes.ts'
import { azure } from './azure/routes.ts'
import { bedrock } from './bedrock/routes.ts'
import { controlRoutes } from './calls/routes.ts'
import { compatible } from './compatible/routes.ts'
import { gemini } from './gemini/routes.ts'
import { openai } from './openai/routes.ts'
import type { WireFormat } from './server/exchange.ts'
import { vertex } from './vertex/routes.ts'

/** Every wire format that the simulator speaks: a folder each, listed here and nowhere else. */
export const wireFormats: readonly WireFormat[] = [
  controlRoutes,
  openai,
  compatible,
  anthropic,
  bedrock,
  gemini,
  vertex,
  azure,
]
