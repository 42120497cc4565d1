import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { vendorLabels } from '../../schema/catalog/vendor.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { graphEnum } from './enums.ts'

/** Enumerations that several subgraphs share. */

export const Modality = graphEnum<AnyModality>('Modality', {
  description: "A model's kind of output.",
  values: {
    video: 'Video.',
    image: 'Images.',
    audio: 'Speech, music and sound effects.',
    chat: 'Text and embeddings.',
  },
})

export const Vendor = graphEnum<string>('Vendor', {
  description: 'A vendor, identified by a fixed label. Operators choose the displayed names.',
  values: Object.fromEntries(vendorLabels.map(label => [label, `The vendor with the label ${label}.`])),
})

export const OrderDirection = graphEnum<'asc' | 'desc'>('OrderDirection', {
  description: 'The direction of a sort.',
  values: { asc: 'Smallest or oldest first.', desc: 'Largest or newest first.' },
})

export const CreditResetInterval = graphEnum<ResetInterval>('CreditResetInterval', {
  description:
    'How often the amount that an API key or a budget has spent is reset to zero. Times are in UTC.',
  values: {
    none: 'Never. The limit applies to the total amount ever spent.',
    daily: 'Every day at midnight.',
    weekly: 'Every Monday at midnight.',
    monthly: 'On the first day of every month at midnight.',
  },
})
