import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'
import { chosenColumns } from '../../lists/chosen-columns.ts'

/** The classes of statuses by which requests are filtered. */
export const statusClasses = ['2xx', '4xx', '5xx'] as const

/** Periods by which requests are filtered, in hours. */
export const periods = ['1', '24', '168', '720'] as const

/** The columns that can be chosen beside the time, in their order. */
export const columnNames = [
  'model',
  'status',
  'key',
  'endUser',
  'vendor',
  'tokens',
  'firstByte',
  'duration',
  'cost',
] as const
export type ColumnName = (typeof columnNames)[number]

/** The state of the page, in its address: filters, the page of the list, and the request whose panel is open. */
export interface RequestsSearch extends PagePlace {
  model?: string | undefined
  key?: string | undefined
  status?: (typeof statusClasses)[number] | undefined
  hours?: (typeof periods)[number] | undefined
  /** The start of the bar to which the list is narrowed: a UTC day or a time. */
  slot?: string | undefined
  /** The chosen columns. Without it, the usual ones are shown. */
  columns?: readonly ColumnName[] | undefined
  request?: string | undefined
}

const slotShape = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:00\.000Z)?$/

/**
 * Reads the state from the parameters of the address. Invalid values become `undefined`: the router would keep a
 * parameter that the result leaves out.
 */
export function requestsSearchOf(search: Record<string, unknown>): RequestsSearch {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const slot = text(search.slot)
  return {
    ...pagePlaceOf(search),
    model: text(search.model),
    key: text(search.key),
    request: text(search.request),
    slot: slot !== undefined && slotShape.test(slot) && !Number.isNaN(Date.parse(slot)) ? slot : undefined,
    columns: chosenColumns(search.columns, columnNames),
    status: statusClasses.find(name => name === search.status),
    hours: periods.find(name => name === String(search.hours)),
  }
}
