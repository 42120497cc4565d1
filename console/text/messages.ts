/** The texts of a page in every language. The compiler requires the same texts of each. */
export interface Messages<Text> {
  en: Text
  de: Text
}

/** Returns a printed number with the noun that it counts. */
export function counted(count: string, one: string, many: string): string {
  return `${count} ${count === '1' ? one : many}`
}

/** Declares the texts of a page or component. A text with values is a function. */
export function defineMessages<Text extends object>(messages: {
  en: Text
  de: NoInfer<Text>
}): Messages<Text> {
  return messages
}
