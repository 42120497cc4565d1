import type { ExecutionResult, GraphQLError } from 'graphql'
import { isRecord } from '../../platform/checks.ts'
import { errorCatalogue } from '../../schema/error-catalogue.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import type { Graph } from '../graph/open-graph.ts'
import { type CompiledRoute, snakeCase } from './compile-route.ts'
import { restWords } from './read-variables.ts'

/** Runs a route's document and returns the presented response. Throws the problem of the first error. */
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
  if (error) throw problemOf(error, compiled)
  const answer = compiled.answer.reduce<unknown>(fieldOf, compiled.present(result.data))
  const { omitNulls, pick } = compiled.route
  const picked = pick ? Object.fromEntries(pick.map(path => pickField(answer, path))) : answer
  return omitNulls ? withoutNulls(picked, omitNulls) : picked
}

function pickField(answer: unknown, path: string): [string, unknown] {
  const names = path.split('.')
  return [names.at(-1) ?? path, names.reduce<unknown>(fieldOf, answer)]
}

/** Converts a GraphQL error to a problem with REST names. */
function problemOf(error: GraphQLError, compiled: CompiledRoute): Problem {
  const { problem, param, retryAfterSeconds } = error.extensions
  if (!isErrorName(problem)) return new Problem('internal', { cause: error })
  const named = typeof param === 'string' ? param : undefined
  const message = restWords(error.message, compiled.variables)
  const shown = named && restName(named, compiled)
  return new Problem(problem, {
    param: shown,
    message: named && shown ? message.replaceAll(named, shown) : message,
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
  })
}

/** Returns the REST name of an argument of a route's document: `filter.search` is `search`. */
function restName(param: string, { params, route }: CompiledRoute): string {
  const [path = param, place = ''] = /^([\w.]+)(.*)$/s.exec(param)?.slice(1) ?? []
  const name = snakeCase(params.get(path) ?? path)
  return route.wholeLists?.includes(name) ? name : name + snakeCase(place)
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
