import type { Context } from '../../context.ts'
import { announceKeyChange } from '../key-revision.ts'

type Spreader = Pick<Context, 'config' | 'redis' | 'news'>

/**
 * Spreads a committed change of a key. When it returns, no process serves the old state any more
 * (see `announceKeyChange`), and whoever watches the account's keys was told.
 */
export async function spreadKeyChange(
  context: Spreader,
  key: { accountId: string; keyId: string; revision: bigint },
): Promise<void> {
  await announceKeyChange(context, key)
  await publishKeyChange(context, key)
}

/** Tells whoever watches the keys of the account. */
export async function publishKeyChange(
  { news }: Spreader,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  await news.publish('keys.changed', { accountId, keyId })
}
