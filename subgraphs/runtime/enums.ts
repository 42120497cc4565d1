import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { registerEnumType } from 'type-graphql'

/**
 * Declares an enumeration of the graph. `values` has a description for each word, as the contract and the
 * domain write it: resolvers take and answer the words, clients of the graph see their names in UPPER_CASE, and
 * REST shows the words again (docs/graph.md, Enumerations).
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

/** The name in the graph of a word. */
export function enumName(word: string): string {
  return word.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}

/** The word of a name in the graph, as REST shows it. */
export function wordOf(name: string): string {
  return name.toLowerCase()
}
