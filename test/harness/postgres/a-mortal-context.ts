import type { Context } from '../../../domain/context.ts'
import type { Sql } from '../../../platform/postgres/open-postgres.ts'

/** Where a process dies: at its statement of that number, before Postgres has it or before it hears the answer. */
export interface Death {
  at: number
  when: 'before' | 'after'
}

/** A context whose process dies: from then on it sends Postgres nothing, and nothing that it waits for ends. */
export interface MortalContext {
  context: Context
  /** Resolves when it has died. */
  died: Promise<'died'>
}

/**
 * Opens it over the connections of `context`. Whoever is killed at any moment was killed between two statements: what it
 * had already done to vendors and files remains.
 */
export function aMortalContext(context: Context, { at, when }: Death): MortalContext {
  const dying = Promise.withResolvers<'died'>()
  let isDead = false
  let statements = 0
  const die = <Never>() => {
    isDead = true
    dying.resolve('died')
    return new Promise<Never>(() => {})
  }
  const live = async <Result>(execute: () => PromiseLike<Result>): Promise<Result> => {
    statements += 1
    if (isDead || (statements === at && when === 'before')) return die()
    const isLast = statements === at
    const result = await execute()
    return isDead || isLast ? die() : result
  }
  return { context: { ...context, sql: watch(context.sql, live) }, died: dying.promise }
}

/** A context of which some statements, by their number, find their connection cut; it goes on with the next. */
export function aCutContext(context: Context, isCut: (statement: number) => boolean): Context {
  let statements = 0
  const live: Live = async execute => {
    statements += 1
    if (!isCut(statements)) return execute()
    throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  }
  return { ...context, sql: watch(context.sql, live) }
}

type Live = <Result>(execute: () => PromiseLike<Result>) => Promise<Result>

/** A query runs when it is awaited; until then it may be a part of another. */
function watch(sql: Sql, live: Live): Sql {
  return new Proxy(sql, {
    apply(target, self, given) {
      const query: unknown = Reflect.apply(target, self, given)
      return query instanceof Promise ? watchQuery(query, live) : query
    },
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'begin' || typeof value !== 'function') return value
      return (...given: unknown[]) => live(() => Reflect.apply(value, target, given))
    },
  })
}

function watchQuery(query: Promise<unknown>, live: Live): Promise<unknown> {
  let running: Promise<unknown> | undefined
  const run = () => {
    running ??= live(() => query)
    return running
  }
  const methods: Record<string | symbol, unknown> = {
    // biome-ignore lint/suspicious/noThenProperty: a query is one
    then: (...given: Parameters<Promise<unknown>['then']>) => run().then(...given),
    catch: (...given: Parameters<Promise<unknown>['catch']>) => run().catch(...given),
    finally: (...given: Parameters<Promise<unknown>['finally']>) => run().finally(...given),
  }
  return new Proxy(query, { get: (target, name) => methods[name] ?? Reflect.get(target, name) })
}
