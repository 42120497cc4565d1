import { isUuid } from '../../platform/checks.ts'
import { isLoopback } from '../../platform/http/addresses.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { VendorModel } from '../../schema/catalog/vendor-address.ts'
import { Problem } from '../../schema/errors.ts'
import { spend } from '../allowances/spend.ts'
import { standingOf } from '../allowances/standing.ts'
import type { Context } from '../context.ts'
import { loadCatalogue } from '../models/model-records.ts'
import { compileChatPrice } from '../pricing/compile-chat-price.ts'
import { compilePeriods, periodsOf } from '../pricing/price-periods.ts'
import { type CredentialFailure, cannotBeOpened, describeFailure, writeOutcomes } from './record-outcomes.ts'
import {
  type CredentialRow,
  readCredentialRow,
  type UsableCredential,
  usableCredential,
} from './usable-credentials.ts'

/**
 * Requests one token from a model with a credential. Resolves to the failure, or to undefined if the call succeeded. It
 * is an argument, because the domain does not depend on `upstreams`.
 */
export type CallVendor = (
  model: VendorModel,
  credential: UsableCredential,
) => Promise<CredentialFailure | undefined>

export interface CredentialTest {
  ok: boolean
  /** The vendor's HTTP status; null if the vendor did not respond. */
  status: number | null
  message: string
  latencyMs: number
}

/**
 * Tests a credential, even a disabled one, with one call to the vendor's cheapest chat model. The vendor bills it to
 * the credential's owner. The outcome is recorded like the outcome of any other call. Throws `credential_not_found`,
 * `allowance_exceeded`.
 */
export async function testCredential(
  context: Context,
  { accountId, id, callVendor }: { accountId: string; id: string; callVendor: CallVendor },
): Promise<CredentialTest> {
  const { sql, clock, allowances } = context
  const row = isUuid(id) ? await readCredentialRow(sql, { accountId, id }) : undefined
  if (!row) throw new Problem('credential_not_found')
  await spend(allowances, await standingOf(allowances, accountId), { resource: 'credential_tests' })
  const model = await cheapestChatModel(context, ({ provider }) => provider === row.provider)
  if (!model) return failed('The catalogue has no chat model of this vendor.')

  const credential = openRow(context, row)
  if (!credential) return failed(cannotBeOpened)
  const startedAt = performance.now()
  const failure = await callVendor(model, credential)
  const latencyMs = Math.round(performance.now() - startedAt)
  const error = failure ? describeFailure(credential, failure) : null
  await writeOutcomes(sql, [{ accountId, id, error, usedAt: failure ? null : clock.now() }])
  const note = isSimulated(context, credential) ? simulatorNote : ''
  if (failure)
    return { ok: false, status: failure.status ?? null, message: `${error ?? ''}${note}`, latencyMs }
  return { ok: true, status: 200, message: `${model.entry.model} answered.${note}`, latencyMs }
}

const simulatorNote =
  ' (A simulator on this machine answered, not the vendor. It accepts keys that begin with sim-, such as sim-ours.)'

/** Whether the call goes to a simulator: the operator configured a local address, and the credential has none. */
function isSimulated({ config }: Context, { vendor, baseUrl, config: fields }: UsableCredential): boolean {
  const address = config.vendors.get(vendor)?.baseUrl
  if (!config.allowLoopback || !address || baseUrl !== null || 'region' in fields || 'endpoint' in fields)
    return false
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || isLoopback(host)
}

function openRow(context: Context, row: CredentialRow): UsableCredential | undefined {
  try {
    return usableCredential(context, row)
  } catch (error) {
    context.log.error({ err: error, byokId: row.id }, 'a credential cannot be decrypted')
    return undefined
  }
}

function failed(message: string): CredentialTest {
  return { ok: false, status: null, message, latencyMs: 0 }
}

/** Returns the active chat model that matches and has the cheapest short answers; undefined if no model matches. */
export async function cheapestChatModel(
  context: Pick<Context, 'sql' | 'clock'>,
  matches: (entry: ChatEntry) => boolean,
): Promise<VendorModel | undefined> {
  const { models, vendors } = await loadCatalogue(context)
  const priced = models.flatMap(({ entry }) =>
    entry.modality === 'chat' && entry.task === 'chat' && matches(entry)
      ? [{ entry, costNanos: priceOfShortAnswer(context, entry) }]
      : [],
  )
  const [cheapest] = priced.toSorted((one, other) => Number(one.costNanos - other.costNanos))
  return (
    cheapest && {
      entry: cheapest.entry,
      vendor: vendors.find(({ label }) => label === cheapest.entry.provider),
    }
  )
}

function priceOfShortAnswer({ clock }: Pick<Context, 'clock'>, { prices }: ChatEntry): bigint {
  const priceNow = compilePeriods(periodsOf(prices), period => compileChatPrice(prices, period))
  return priceNow(clock).estimate({ promptTokens: 1_000, outputTokens: 1_000 })
}
