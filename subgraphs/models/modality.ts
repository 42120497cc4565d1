import { registerEnumType } from 'type-graphql'
import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'

/** What a model makes, spelled as `/api/v1` spells it. */
export const Modality = {
  video: 'video',
  image: 'image',
  audio: 'audio',
  chat: 'chat',
} as const satisfies { [Name in AnyModality]: Name }

registerEnumType(Modality, { name: 'Modality', description: 'What a model makes.' })
