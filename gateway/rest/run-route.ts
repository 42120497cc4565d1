import type { ExecutionResult, GraphQLError } from 'graphql'
import { isRecord } from '../../platform/is-record.ts'
import { type ErrorName, errorCatalogue, Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import type { Graph } from '../graph/open-graph.ts'
import type { CompiledRoute } from './compile-route.ts'
import { snakeCase } from './names.ts'

/** Runs a row's document through the graph; answers what the row presents. Throws the problem of the first error. */
export async function runRoute(
  graph: Graph,
  { compiled, call, variables }: { compiled: CompiledRoute; call: Call; variables: Record<string, unknown> },
): Promise<unknown> {
  const { execute, contextFactory, schema } = graph.getEnveloped({ call })
  const result: ExecutionResult = await execute({
    schema,
    document: compiled.document,
    variableValues: variables,
    contextValue: await contextFactory(),
  })
  const [error] = result.errors ?? []
  if (error) throw problemOf(error)
  const answer = compiled.answer.reduce<unknown>(fieldOf, result.data)
  const { omitNulls } = compiled.route
  return omitNulls ? withoutNulls(answer, omitNulls) : answer
}

/** The problem that a GraphQL error presents, with its parameter named as REST names it. */
function problemOf(error: GraphQLError): Problem {
  const { problem, param, retryAfterSeconds } = error.extensions
  if (!isErrorName(problem)) return new Problem('internal', { cause: error })
  const named = typeof param === 'string' ? param : undefined
  return new Problem(problem, {
    param: named && snakeCase(named),
    message: named ? error.message.replaceAll(named, snakeCase(named)) : error.message,
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
  })
}

function isErrorName(name: unknown): name is ErrorName {
  return typeof name === 'string' && Object.hasOwn(errorCatalogue, name)
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

function withoutNulls(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(item => withoutNulls(item, names))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(([name, item]) => item !== null || !names.includes(name)),
  )
}
