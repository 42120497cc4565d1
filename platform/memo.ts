/** Remembers what `compute` answered for the last `max` texts, the oldest forgotten first. */
export function memo<Value>(max: number, compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return text => {
    const remembered = known.get(text)
    if (remembered !== undefined) return remembered
    const value = compute(text)
    if (known.size >= max) known.delete(known.keys().next().value!)
    known.set(text, value)
    return value
  }
}
