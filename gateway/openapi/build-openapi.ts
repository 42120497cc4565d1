import { readFile } from 'node:fs/promises'
import { buildSchema } from 'graphql'
import { isRecord } from '../../platform/checks.ts'
import { operations } from '../../schema/operations/operations.ts'
import { routes } from '../rest/routes/routes.ts'
import { graphFolder, supergraphFile } from '../supergraph/load-graph.ts'
import { errorSchemas, sharedResponses } from './error-responses.ts'
import { answerSchemas, inferencePaths } from './inference-paths.ts'
import type { JsonObject } from './json-schema.ts'
import { managementPaths } from './management-paths.ts'

/** The committed OpenAPI document. `npm run graph` writes it. */
export const openApiFile = new URL('../../schema/openapi.json', import.meta.url)

/**
 * Builds the OpenAPI 3.1 document of `/v1` and `/api/v1`. Its sources are the shapes that validate bodies of `/v1`, the
 * table of REST routes with the types of the composed graph, and the error catalogue.
 */
export async function buildOpenApi(): Promise<JsonObject> {
  const supergraph = await readFile(new URL(supergraphFile, graphFolder), 'utf8')
  const schema = buildSchema(supergraph, { assumeValidSDL: true })
  const records = { schemas: new Map(Object.entries({ ...errorSchemas, ...answerSchemas() })) }
  const paths = new Map([
    ...inferencePaths(operations, records),
    ...managementPaths(schema, { routes, records }),
  ])
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rubicon',
      version: '1',
      description:
        "One account and one API key for the chat, image, video and audio models of many vendors. Inference is under `/v1`, in the formats of OpenAI and Anthropic. Under `/openai/v1`, every operation has OpenAI's own format: speech is returned as an audio file, and videos are at `/openai/v1/videos`. Management is under `/api/v1`, which is the REST interface of the GraphQL API at `/graphql`.",
    },
    servers: [{ url: '/' }],
    tags: tagsOf([...paths.values()]),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `sk-rb-…`.' },
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The `access_token` of a session, from `POST /api/v1/auth/log-in`.',
        },
        operatorKey: { type: 'http', scheme: 'bearer', description: 'The key of an operator: `sk-rb-op-…`.' },
      },
      schemas: Object.fromEntries(records.schemas),
      responses: sharedResponses(),
    },
  }
}

/** Returns the text of the committed document. */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(await buildOpenApi(), null, 2)}\n`
}

function tagsOf(paths: readonly JsonObject[]): JsonObject[] {
  const names = paths
    .flatMap(path => Object.values(path))
    .flatMap(operation =>
      isRecord(operation) && Array.isArray(operation.tags) ? operation.tags.map(String) : [],
    )
  return [...new Set(names)].map(name => ({ name }))
}
