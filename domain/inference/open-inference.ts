import { type ByokBook, openByokBook } from '../byok/byok-book.ts'
import type { Context } from '../context.ts'
import { type KeyBook, openKeyBook } from '../keys/key-book.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { closeLedger, openLedger } from '../ledger/open-ledger.ts'
import { type ModelBook, openModelBook } from '../models/model-book.ts'
import { openRates, type Rates } from '../rates/check-rate.ts'

/** What admits and settles paid requests in this process. */
export interface Inference {
  context: Context
  ledger: Ledger
  rates: Rates
  keys: KeyBook
  models: ModelBook
  byok: ByokBook
}

/** Opens it: needs Postgres, and does without Redis. */
export async function openInference(context: Context, options: { kind: string }): Promise<Inference> {
  const { config, redis, sql, clock } = context
  const models = await openModelBook(context)
  return {
    context,
    models,
    ledger: await openLedger(context, options),
    rates: openRates({ redis, prefix: config.redisPrefix, isCluster: config.redisCluster }),
    keys: openKeyBook(sql, () => clock.now()),
    byok: openByokBook(context),
  }
}

/** Waits for settlements under way, gives back every hold, and stops. */
export async function closeInference(inference: Inference): Promise<void> {
  await inference.byok.close()
  inference.keys.close()
  inference.models.close()
  await closeLedger(inference.ledger)
}
