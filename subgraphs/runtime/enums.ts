import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { registerEnumType } from 'type-graphql'

/**
 * Declares an enumeration of the graph. `values` maps each word of the domain to its description. Resolvers use these
 * words. Clients of the graph see them in UPPER_CASE, clients of REST in lower case (docs/graph.md, Enumerations).
 */
export function graphEnum<Word extends string>(
  name: string,
  { description, values }: { description: string; values: Readonly<Record<Word, string>> },
): Readonly<Record<string, Word>> {
  const words = Object.keys(values).filter((word): word is Word => Object.hasOwn(values, word))
  const byName = Object.fromEntries(words.map(word => [enumName(word), word]))
  registerEnumType(byName, {
    name,
    description,
    valuesConfig: Object.fromEntries(words.map(word => [enumName(word), { description: values[word] }])),
  })
  return byName
}

/** Returns the name of a word in the graph. */
export function enumName(word: string): string {
  return word.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}

/** Returns the word of a name in the graph, as REST shows it. */
export function wordOf(name: string): string {
  return name.toLowerCase()
}
