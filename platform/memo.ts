import { LRUCache } from 'lru-cache'

/**
 * Caches the results of `compute` for the `max` texts that were used last, or for fewer texts if they have more than
 * `maxCharacters` in total.
 */
export function memo<Value extends {}>(
  max: number,
  compute: (text: string) => Value,
  { maxCharacters }: { maxCharacters?: number } = {},
): (text: string) => Value {
  const bySize = maxCharacters && {
    maxSize: maxCharacters,
    sizeCalculation: (_: Value, text: string) => text.length,
  }
  const results = new LRUCache<string, Value>({ max, ...bySize, memoMethod: text => compute(text) })
  return text => results.memo(text)
}
