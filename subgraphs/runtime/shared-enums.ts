import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { vendorLabels } from '../../schema/catalog/vendor.ts'
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
