import { aliasShape } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { ListedModel, ListedTextModel } from './lists/lists.ts'

/** The parts of a new entry that describe the model. The operator may change them afterwards. */
export interface Introduction {
  id: string
  model: string
  aliases?: string[]
  name: string
  description: string
  tags: string[]
}

/**
 * Describes a listed model. Its slug is the last part of its ID. A name that the catalogue already uses is no alias, and
 * in an ID it gets the list's name of the vendor in front. Returns the reason if the model cannot have a name.
 */
export function describeModel(
  model: ListedModel,
  { vendor, provider, isUsed }: { vendor: Vendor; provider: string; isUsed: (name: string) => boolean },
): Introduction | string {
  const slug = slugOf(model.id)
  if (slug === '') return 'has an ID without Latin letters and digits'
  if (unprintable.test(model.id)) return 'has an ID with control characters'
  const ids = [`${model.task}.${slug}`, `${model.task}.${slugOf(provider)}-${slug}`]
  const id = ids.find(candidate => !isUsed(candidate))
  const name = `${vendor.label}/${slug}`
  if (id === undefined || isUsed(name)) return 'has a name that another model has already'
  const candidates = [
    slug,
    ...(model.id === slug ? [] : (vendor.aliases ?? []).map(alias => `${alias}/${model.id}`)),
  ]
  const aliases = candidates.filter(alias => isAlias(alias) && !isUsed(alias))
  const title = model.name.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim() || slug
  return {
    id,
    model: name,
    ...(aliases.length > 0 && { aliases }),
    name: title,
    description: `${title} by ${vendor.name} ${purposeOf(model)}.`,
    tags: tagsOf(model),
  }
}

/** Control characters and unpaired surrogates, which Postgres or a file cannot store. */
const unprintable = /[\p{Cc}\p{Cs}]/u

function isAlias(name: string): boolean {
  return name.length <= aliasShape.maxLength && new RegExp(aliasShape.pattern).test(name)
}

/** Returns the last part of a vendor's ID in the characters of the catalogue: `openai/gpt-oss-20b` is `gpt-oss-20b`. */
export function slugOf(id: string): string {
  const [last = ''] = id.toLowerCase().split('/').slice(-1)
  return last.replaceAll(/[^a-z0-9.-]+/g, '-').replace(/^[.-]+/, '')
}

const readable = [
  ['text', 'text'],
  ['image', 'images'],
  ['pdf', 'documents'],
  ['audio', 'audio'],
] as const

function purposeOf(model: ListedModel): string {
  return model.task === 'chat' ? sentence(abilitiesOf(model)) : purposes[model.task]
}

const purposes = {
  'text-embedding': 'makes embeddings of text',
  'text-to-image': 'makes images from a description',
  'text-to-video': 'makes videos from a description',
  'text-to-speech': 'reads text aloud',
} as const

function abilitiesOf({ reads, isAudioExtra, reasoning, tools }: ListedTextModel): string[] {
  const kinds = readable.filter(([kind]) => reads.has(kind) && !(kind === 'audio' && isAudioExtra))
  return [
    `reads ${sentence(kinds.map(([, name]) => name))}`,
    ...(reasoning ? ['reasons'] : []),
    ...(tools ? ['calls tools'] : []),
  ]
}

function tagsOf(model: ListedModel): string[] {
  if (model.task === 'text-embedding') return ['embedding']
  if (model.task !== 'chat') return []
  const { reads, reasoning, tools } = model
  return [
    ...(reasoning ? ['reasoning'] : []),
    ...(reads.has('image') ? ['vision'] : []),
    ...(tools ? ['tools'] : []),
  ]
}

/** Joins words: `text, images and documents`. */
function sentence(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
