import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import type { YamlFolder } from '../../domain/models/read-yaml.ts'
import { isRecord } from '../../platform/checks.ts'

/** An entry in a file of `models/`, as written there: references are not followed. */
export interface WrittenEntry {
  file: string
  written: Record<string, unknown>
  node: YAMLMap
}

/** The files of models of a catalogue, open for changes. Comments and other entries stay unchanged. */
export interface CatalogueFiles {
  entries: readonly WrittenEntry[]
  /** Replaces parts of an entry. */
  replace(entry: WrittenEntry, parts: Record<string, unknown>): void
  /** Appends an entry to a file of `models/`, which is created if it does not exist. */
  append(file: string, entry: Record<string, unknown>): void
  /** Writes the files that have changed. Resolves to their names. */
  save(): Promise<string[]>
}

/** Opens the files of `models/` of a catalogue, whose YAML is parsed and valid. */
export function openCatalogueFiles(folder: string, yaml: YamlFolder): CatalogueFiles {
  const documents = new Map(
    [...yaml].flatMap(([name, { document }]): [string, Document][] =>
      name.startsWith('models/') ? [[name, document]] : [],
    ),
  )
  const changed = new Set<string>()
  return {
    entries: [...documents].flatMap(([file, document]) => entriesIn(file, document)),
    replace({ file, node }, parts) {
      const document = documents.get(file)
      for (const [key, value] of Object.entries(parts))
        node.set(key, document && styled(document, key, value))
      changed.add(file)
    },
    append(file, entry) {
      const document = documents.get(file) ?? parseDocument('[]')
      documents.set(file, document)
      const list = listOf(document)
      list.flow = false
      const node = document.createNode({}) as YAMLMap
      for (const [key, value] of Object.entries(entry)) node.set(key, styled(document, key, value))
      node.spaceBefore = list.items.length > 0
      list.add(node)
      changed.add(file)
    },
    async save() {
      await Promise.all(
        [...changed].map(file => {
          const text = documents.get(file)?.toString({ lineWidth: 120 }) ?? ''
          return writeFile(join(folder, file), text)
        }),
      )
      return [...changed]
    },
  }
}

function listOf(document: Document): YAMLSeq {
  if (isSeq(document.contents)) return document.contents
  const list = document.createNode([])
  document.contents = list
  return list as YAMLSeq
}

function entriesIn(file: string, document: Document): WrittenEntry[] {
  const { contents } = document
  return (isSeq(contents) ? contents.items : []).flatMap(node => {
    const written: unknown = isMap(node) ? node.toJS(document) : undefined
    return isMap(node) && isRecord(written) ? [{ file, written, node }] : []
  })
}

/** The parts of an entry that are written in one line, and those whose items are. */
const inOneLine = new Set(['aliases', 'tags', 'source', 'reasoning', 'generation', 'parameters'])

/** The lists whose items are written in one line each. */
const itemsInOneLine = new Set(['rates', 'fields', 'service_tiers'])

/** Returns the node of a part in the layout of the catalogue's files. */
function styled(document: Document, key: string, value: unknown) {
  const node = document.createNode(value)
  flatten(node, key)
  return node
}

function flatten(part: unknown, name: string): void {
  if (!isMap(part) && !isSeq(part)) return
  const isShort = inOneLine.has(name) || (name === 'upstream' && !(isMap(part) && part.has('request')))
  if (isShort) part.flow = true
  else if (isMap(part)) for (const pair of part.items) flatten(pair.value, String(pair.key))
  else if (itemsInOneLine.has(name)) for (const item of part.items.filter(isMap)) item.flow = true
}
