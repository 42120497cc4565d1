import type { CatalogueEntry } from '../../schema/catalog/entry.ts'

/** A kind of content that a model accepts. */
export type ModelInput = 'text' | 'image' | 'document' | 'audio' | 'video'

/** The kinds of content that parameters of media models carry, by the name of the parameter. */
const carriers = new Map<string, ModelInput>([
  ['prompt', 'text'],
  ['input', 'text'],
  ['image_urls', 'image'],
  ['video_urls', 'video'],
])

/** Returns the kinds of content that a model accepts: of a chat model by its flags, of others by their parameters. */
export function inputsOf(entry: CatalogueEntry): ModelInput[] {
  if (entry.modality !== 'chat')
    return [...new Set(Object.keys(entry.parameters.properties).flatMap(name => carriers.get(name) ?? []))]
  if (entry.task === 'text-embedding') return ['text']
  const { vision, documents, audio } = entry.chat
  return [
    'text',
    ...(vision ? ['image' as const] : []),
    ...(documents ? ['document' as const] : []),
    ...(audio ? ['audio' as const] : []),
  ]
}
