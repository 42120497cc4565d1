/** Deletes the oldest entries of a map, in order of insertion, until it has at most `max`. */
export function dropOldest<Key>(map: Map<Key, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return
    map.delete(key)
  }
}
