import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'

/** The measures that the chart can show. */
export const measures = ['spent', 'requests', 'tokens', 'duration', 'firstByte'] as const
export type Measure = (typeof measures)[number]

/** The ways of grouping. */
export const groupings = ['model', 'key', 'endUser', 'metadata'] as const
export type Grouping = (typeof groupings)[number]

/** Periods, in days until today. Usage is kept for two months. */
export const periods = ['7', '30', '60'] as const

/** The state of the page, in its address: grouping, period, filters, and the page of the list. */
export interface UsageSearch extends PagePlace {
  by?: Grouping | undefined
  /** The key of metadata by which usage is grouped. */
  label?: string | undefined
  measure?: Measure | undefined
  days?: (typeof periods)[number] | undefined
  /** A UTC day, to which the list is narrowed. */
  day?: string | undefined
  model?: string | undefined
  key?: string | undefined
  endUser?: string | undefined
  /** A pair of metadata, `key=value`. */
  metadata?: string | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function usageSearchOf(search: Record<string, unknown>): UsageSearch {
  const text = (value: unknown) =>
    (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined
  const day = text(search.day)
  const metadata = text(search.metadata)
  return {
    ...pagePlaceOf(search),
    by: groupings.find(name => name === search.by),
    label: text(search.label),
    measure: measures.find(name => name === search.measure),
    days: periods.find(name => name === String(search.days)),
    day: day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : undefined,
    model: text(search.model),
    key: text(search.key),
    endUser: text(search.endUser),
    metadata: metadata?.includes('=') ? metadata : undefined,
  }
}
