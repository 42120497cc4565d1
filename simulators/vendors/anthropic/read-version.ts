import type { Exchange } from '../server/exchange.ts'
import { refuse } from './refuse.ts'

const versions = ['2023-06-01', '2026-10-21'] as const
export type Version = (typeof versions)[number]

/** The version of the wire that a request must name. */
export function readVersion({ request }: Exchange): Version {
  const named = request.headers['anthropic-version']
  if (named === undefined) throw refuse(400, 'anthropic-version: header is required')
  const version = versions.find(known => known === named)
  if (!version) throw refuse(400, `anthropic-version: "${String(named)}" is not a valid version`)
  return version
}
