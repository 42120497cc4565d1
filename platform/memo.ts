import { LRUCache } from 'lru-cache'

/** Remembers the results of `compute` for the `max` texts that were used last. */
export function memo<Value extends {}>(
  max: number,
  compute: (text: string) => Value,
): (text: string) => Value {
  const results = new LRUCache<string, Value>({ max, memoMethod: text => compute(text) })
  return text => results.memo(text)
}
