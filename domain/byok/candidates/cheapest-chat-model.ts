import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import type { Vendor } from '../../../schema/catalog/vendor.ts'
import type { Context } from '../../context.ts'
import { loadCatalogue } from '../../models/load-catalogue.ts'
import { compileChatPrice } from '../../pricing/compile-chat-price.ts'

/** The active chat model of a vendor whose short answers cost least; undefined where the vendor has none. */
export async function cheapestChatModel(
  context: Pick<Context, 'sql'>,
  provider: string,
): Promise<{ entry: ChatEntry; vendor: Vendor | undefined } | undefined> {
  const { models, vendors } = await loadCatalogue(context)
  const priced = models.flatMap(({ entry }) =>
    entry.modality === 'chat' && entry.task === 'chat' && entry.provider === provider
      ? [{ entry, costNanos: shortAnswer(entry) }]
      : [],
  )
  const [cheapest] = priced.toSorted((one, other) => Number(one.costNanos - other.costNanos))
  return cheapest && { entry: cheapest.entry, vendor: vendors.find(({ label }) => label === provider) }
}

function shortAnswer({ prices }: ChatEntry): bigint {
  return compileChatPrice(prices).estimate({ promptTokens: 1_000, outputTokens: 1_000 })
}
