import {
  type DocumentNode,
  type GraphQLSchema,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { beginAction, endAction } from '../../domain/audit/record-action.ts'
import { needsSecondFactor } from '../../domain/callers/confirmations.ts'
import { permittedTo } from '../../domain/callers/permissions.ts'
import type { Context } from '../../domain/context.ts'
import { Problem } from '../../schema/errors.ts'
import { recordedActorOf } from '../../subgraphs/runtime/audit-mutations.ts'
import { type Call, requireCaller } from '../../subgraphs/runtime/call.ts'
import { requirePermission } from '../../subgraphs/runtime/guard-fields.ts'
import type { Graph } from '../graph/open-graph.ts'
import type { ControlContext } from '../http/control-context.ts'
import { type CompiledRoute, compileRoute } from './compile-route.ts'
import { exportTypes, printJson, type ReadPage, recordsOf } from './export-pages.ts'
import { exportedParts, exportPeriod } from './routes/account-export.ts'
import { runRoute } from './run-route.ts'
import type { Exports } from './send-export.ts'

interface CompiledPart {
  type: string
  compiled: CompiledRoute
}

/**
 * Returns the handler of the export of an account: every record of `exportedParts` as NDJSON, and a last line with their
 * numbers (docs/closing.md). A caller needs the permissions of all parts. The audit log has each export, which is done
 * once its last line is sent. Throws `conflict` while another export of the account runs in this process.
 */
export function exportAccount(options: {
  graph: Graph
  schema: GraphQLSchema
  context: Pick<Context, 'sql' | 'ids'>
  exports: Exports
}) {
  const { graph, schema, context } = options
  const parts = exportedParts.map(({ type, ...route }) => ({ type, compiled: compileRoute(schema, route) }))
  const operations = new Set(parts.flatMap(({ compiled }) => permissionsOf(schema, compiled.document)))

  return async (ctx: ControlContext): Promise<void> => {
    const { call } = ctx.state
    const { accountId } = requireCaller(call)
    for (const operation of operations) {
      requirePermission(call, operation)
      if (needsSecondFactor(operation, call.caller)) throw new Problem('second_factor_required')
    }
    const period = periodIn(ctx)
    // Errors of the period are answered before the first line is sent.
    const timed = parts.find(({ compiled }) => compiled.variables.some(({ name }) => name in exportPeriod))
    if (timed && Object.keys(period).length > 0)
      await runRoute(graph, { compiled: timed.compiled, call, variables: { ...period, first: 1 } })
    const file = { type: exportTypes.ndjson, name: `account-${accountId}.ndjson`, isOnlyOne: true }
    await options.exports.send(ctx, accountTexts({ graph, call, parts, context, period }), file)
  }
}

/** Returns the parameters of the request that limit the export to a period. */
function periodIn({ querystring }: ControlContext): Record<string, string> {
  const given = new URLSearchParams(querystring)
  return Object.fromEntries([...given].filter(([name]) => Object.hasOwn(exportPeriod, name)))
}

/** Yields the export as texts of at most one page each. */
async function* accountTexts(args: {
  graph: Graph
  call: Call
  parts: readonly CompiledPart[]
  context: Pick<Context, 'sql' | 'ids'>
  period: Readonly<Record<string, string>>
}): AsyncGenerator<string> {
  const { graph, call, parts, context, period } = args
  const { accountId } = requireCaller(call)
  const actor = recordedActorOf(call)
  if (!actor) throw new Problem('unauthenticated')
  const { address, requestId } = call
  const action = await beginAction(context, { accountId, name: 'exportAccount', actor, address, requestId })
  const counts: Record<string, number> = {}
  for (const { type, compiled } of parts) {
    counts[type] = 0
    const readPage: ReadPage = slice =>
      runRoute(graph, { compiled, call, variables: { ...period, ...slice } })
    for await (const records of recordsOf(readPage)) {
      counts[type] += records.length
      yield records.map(record => printJson({ type, ...record })).join('')
    }
  }
  await endAction(context, action)
  yield printJson({ type: 'end', counts })
}

/** Returns the fields of a document that the table of permissions lists. */
function permissionsOf(schema: GraphQLSchema, document: DocumentNode): string[] {
  const found: string[] = []
  const types = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const parent = types.getParentType()
        const operation = isObjectType(parent) ? `${parent.name}.${node.name.value}` : ''
        if (permittedTo(operation)) found.push(operation)
      },
    }),
  )
  return found
}
