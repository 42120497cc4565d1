/** Returns a number with its noun: `no findings`, `1 finding`, `2 findings`. */
export function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`
}
