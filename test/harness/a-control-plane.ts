import { inject } from 'vitest'
import { startControl } from '../../gateway/start-control.ts'
import { spreadSubgraphs } from '../graph/spread-subgraphs.ts'
import { aSystem, type TestSystem, untilRedisAnswers } from './a-context.ts'
import { aPerson, aRestCaller, type Person, type RestCaller } from './a-rest-caller.ts'
import { perFile } from './per-file.ts'

export type { Person }

/** A control plane over real HTTP, and functions that call it. */
export interface ControlPlane extends TestSystem {
  url: string
  graph(query: string, options?: GraphOptions): Promise<GraphAnswer>
  rest: RestCaller
  /** Signs up a new person. */
  aPerson(): Promise<Person>
}

interface GraphOptions {
  token?: string | undefined
  variables?: Record<string, unknown> | undefined
  headers?: Record<string, string>
}

interface GraphAnswer {
  status: number
  data: Json
  errors: { message: string; path?: unknown[]; extensions: Json }[] | undefined
  /** The cost of the document. */
  cost: Json
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into what a server answers, and fail where it is not there
type Json = any

type Options = NonNullable<Parameters<typeof startControl>[1]>

/**
 * Starts a control plane with a separate database and Redis prefix. `onStatement` does not receive the statement that reads an
 * account's standing, because a standing is read again after a second. In the project `spread` of vitest.config.ts every
 * subgraph is served by itself, over HTTP: the same tests run both ways.
 */
export async function aControlPlane(
  env: Record<string, string> = {},
  options: Options = {},
): Promise<ControlPlane> {
  const system = await aSystem(env)
  const spread = inject('spread') ? await spreadSubgraphs(system.config, options) : undefined
  const subgraphUrls = new Map([...(spread?.urls ?? []), ...system.config.subgraphUrls])
  const control = await startControl({ ...system.config, subgraphUrls }, withoutStandings(options))
  const { url } = control
  await untilRedisAnswers(system.config, url)

  const rest = aRestCaller(url)

  return {
    ...system,
    url,
    rest,
    async graph(query, { token, variables, headers } = {}) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        body: JSON.stringify({ query, variables }),
      })
      const answer: Json = await response.json()
      return {
        status: response.status,
        data: answer.data,
        errors: answer.errors,
        cost: answer.extensions?.cost,
      }
    },
    aPerson: () => aPerson(rest),
    async close() {
      await control.close()
      await spread?.close()
      await system.close()
    },
  }
}

/** Starts the control plane of a test file, and signs up a person. */
export function theControlPlane(...options: Parameters<typeof aControlPlane>): {
  control: ControlPlane
  person: Person
} {
  const control = perFile(() => aControlPlane(...options))
  return { control, person: perFile(() => control.aPerson()) }
}

function withoutStandings({ onStatement, ...options }: Options): Options {
  if (!onStatement) return options
  const isStanding = (statement: string) => statement.includes('select a.allowances, coalesce(b.paid_nanos')
  return { ...options, onStatement: statement => !isStanding(statement) && onStatement(statement) }
}
