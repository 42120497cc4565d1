import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { vendorLabels } from '../../schema/catalog/vendor.ts'
import { graphEnum } from './enums.ts'

/** Enumerations of more than one subgraph: declared once, they are the same in each. */

export const Modality = graphEnum<AnyModality>('Modality', {
  description: 'What a model makes.',
  values: {
    video: 'Moving pictures.',
    image: 'Pictures.',
    audio: 'Speech, music and sound.',
    chat: 'Text, and vectors of text.',
  },
})

export const Vendor = graphEnum<string>('Vendor', {
  description: 'A vendor, by its fixed label. What each is called is up to the operator.',
  values: Object.fromEntries(vendorLabels.map(label => [label, `The vendor labelled ${label}.`])),
})

export const OrderDirection = graphEnum<'asc' | 'desc'>('OrderDirection', {
  description: 'Which way a list runs.',
  values: { asc: 'The smallest or oldest first.', desc: 'The largest or newest first.' },
})
