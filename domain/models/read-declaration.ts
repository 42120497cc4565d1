import type { Ajv } from 'ajv'
import { type CatalogueEntry, modalityOfTask, type ParameterSchema } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { dayOf } from '../pricing/price-periods.ts'
import { checkChatFlags, checkParameters } from './checks/check-entry.ts'
import { checkMediaCall } from './checks/check-media-call.ts'
import { checkPrices } from './checks/check-prices.ts'
import type { Shapes } from './checks/check-shapes.ts'
import type { Report } from './checks/report.ts'
import { completeChat, completeEmbedding, completeMedia, taskOf } from './complete-entry.ts'
import { checkRoutes } from './model-routes.ts'

/** The data for checking and completing a declaration. */
export interface DeclarationContext {
  shapes: Shapes
  validator: Ajv
  vendors: ReadonlyMap<string, Vendor>
  /** Every supported chat parameter, checked. */
  chatParameters: ParameterSchema
}

/**
 * Reads a declaration of a model, from a file or the graph, and checks it on its own: its shape, the possible
 * requests, its prices, and the calls to its vendor. Fills in defaults. Reports every fault. Returns undefined if the
 * entry could not be completed.
 */
export function readDeclaration(
  context: DeclarationContext,
  value: unknown,
  report: Report,
): CatalogueEntry | undefined {
  const entry = completed(context, value, report)
  if (!entry) return undefined
  if (Number.isNaN(dayOf(entry.created))) report(['created'], 'is not a day of the calendar')
  // Those of chat models are a part of the chat parameters, which are checked once: compiling a schema takes milliseconds.
  if (entry.task !== 'chat') checkParameters(context, entry.parameters, report)
  checkPrices(entry, report)
  if (entry.modality === 'chat') {
    checkChatFlags(context, entry, report)
    checkRoutes(entry, context.vendors, report, (route, reportRoute) => {
      checkPrices(route, reportRoute)
      checkChatFlags(context, route, reportRoute)
    })
  } else checkMediaCall(entry, report)
  return entry
}

/** Returns the ID of a declaration, or an empty string if it has none. */
export function declaredId(value: unknown): string {
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : ''
}

/** Returns the declaration of an entry, without derived fields. */
export function declarationOf(entry: CatalogueEntry): object {
  const { task, modality, provider, known_as, parameters, ...declared } = entry
  return task === 'chat' ? declared : { ...declared, parameters }
}

function completed(context: DeclarationContext, value: unknown, report: Report): CatalogueEntry | undefined {
  const { shapes } = context
  const task = taskOf(declaredId(value))
  if (task === 'chat') {
    return shapes.chat(value, report) ? completeChat({ ...context, report }, value) : undefined
  }
  if (task === 'text-embedding') {
    return shapes.embedding(value, report) ? completeEmbedding({ ...context, report }, value) : undefined
  }
  if (task) return shapes.media(value, report) ? completeMedia({ ...context, report }, value) : undefined
  report(['id'], `must be a task, a dot and a slug; the tasks are ${Object.keys(modalityOfTask).join(', ')}`)
  return undefined
}
