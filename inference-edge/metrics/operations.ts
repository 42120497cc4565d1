/** The names of operations by route. If OpenTelemetry's conventions have a name for the operation, it is used. */
const operations: ReadonlyMap<string, string> = new Map([
  ['chat.completions', 'chat'],
  ['responses', 'chat'],
  ['messages', 'chat'],
  ['embeddings', 'embeddings'],
  ['images.generations', 'image_generation'],
  ['images.edits', 'image_generation'],
  ['videos.generations', 'video_generation'],
  ['audio.generations', 'audio_generation'],
  ['audio.speech', 'speech'],
])

/** Returns the operation of a route, the label `gen_ai_operation_name`. */
export function operationOf(route: string): string {
  return operations.get(route) ?? 'other'
}
