import type { HoldOwner, Reservation } from '../ledger/hold.ts'
import type { RevisedAmount } from '../ledger/reserve.ts'
import { checkRate, type Rates } from '../rates/check-rate.ts'
import type { RateRequest, RateResult } from '../rates/window.ts'

/**
 * Checks a request against its limits. Then reserves the amount, if any, on condition that the request is within them,
 * Redis has the revision of the key that the amount names, and `reserve` can reserve it at once. Otherwise the request
 * reserves its money later.
 */
export async function checkThenReserve<Reserved extends Reservation>(
  rates: Rates,
  request: RateRequest,
  {
    amount,
    reserve,
  }: { amount: RevisedAmount | undefined; reserve(whole: HoldOwner & RevisedAmount): Reserved | undefined },
): Promise<RateResult & { reservation?: Reserved | undefined }> {
  const result = await checkRate(rates, request)
  if (!amount || result.refusedBy || result.revision !== amount.keyRevision) return result
  const { accountId, keyId } = request
  return { ...result, reservation: reserve({ accountId, keyId, ...amount }) }
}
