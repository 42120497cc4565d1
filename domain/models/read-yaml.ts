import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { printPath, type ValuePath } from '../../schema/value-path.ts'
import type { Report } from './checks/report.ts'

/** A value from YAML with the file and line of each part. */
export interface Located {
  value: unknown
  file: string
  line: number
  parts: ReadonlyMap<string | number, Located>
}

/** The `.yaml` files of a folder, by their path in it. */
export type YamlFolder = ReadonlyMap<string, { document: Document; lines: LineCounter }>

/** Parses the `.yaml` files in a folder and its subfolders, or the wanted ones. Invalid YAML is a fault. */
export async function openYamlFolder(
  folder: string,
  faults: Faults,
  isWanted: (name: string) => boolean = () => true,
): Promise<YamlFolder> {
  const all = await readdir(folder, { recursive: true })
  const names = all.filter(name => name.endsWith('.yaml') && isWanted(name)).sort()
  const files = names.map(async name => {
    const lines = new LineCounter()
    const text = await readFile(join(folder, name), 'utf8')
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
    for (const { pos, message } of document.errors) {
      faults.add({ file: name, line: lines.linePos(pos[0]).line }, [], message)
    }
    return [name, { document, lines }] as const
  })
  return new Map(await Promise.all(files))
}

/**
 * Reads one file. A map with `$ref: <file>#<pointer>` becomes the map that it refers to, overridden by its own keys:
 * `{$ref: fields.yaml#/prompt, maxLength: 1500}`. A missing target is a fault.
 */
export function readYaml(folder: YamlFolder, name: string, faults: Faults): Located {
  return locate({ folder, faults, file: name, trail: [] }, folder.get(name)?.document.contents)
}

/** Returns a function that reports the faults of a value at the lines of its parts. */
export function reportOn(faults: Faults, located: Located): Report {
  return (path, message) => faults.add(lineOf(located, path), path, message)
}

/** Returns the line of a part. If the part is missing, returns the line of its nearest parent. */
function lineOf(located: Located, [key, ...rest]: ValuePath): FileLine {
  const part = key === undefined ? undefined : located.parts.get(key)
  return part ? lineOf(part, rest) : located
}

interface Reading {
  folder: YamlFolder
  faults: Faults
  file: string
  /** The references and YAML aliases followed so far, to detect circles. */
  trail: readonly string[]
}

function locate(reading: Reading, node: unknown): Located {
  const { document, lines } = reading.folder.get(reading.file) ?? {}
  const line = isNode(node) && node.range && lines ? lines.linePos(node.range[0]).line : 1
  const at = { file: reading.file, line }
  if (isAlias(node) && document) {
    const step = `${reading.file}*${node.source}`
    if (!reading.trail.includes(step))
      return locate({ ...reading, trail: [...reading.trail, step] }, node.resolve(document))
    reading.faults.add(at, [], `*${node.source} leads back to itself`)
    return { ...at, parts: new Map(), value: undefined }
  }
  if (isSeq(node)) {
    const parts = new Map(node.items.map((item, index) => [index, locate(reading, item)]))
    return { ...at, parts, value: Array.from(parts.values(), part => part.value) }
  }
  if (isMap(node)) {
    const parts = partsOf(reading, node)
    return {
      ...at,
      parts,
      value: Object.fromEntries(Array.from(parts, ([key, { value }]) => [key, value])),
    }
  }
  return { ...at, parts: new Map(), value: isScalar(node) ? node.value : undefined }
}

/** Returns the parts of a map and of the map that its `$ref` names. */
function partsOf(reading: Reading, map: YAMLMap): Located['parts'] {
  const parts = new Map<string | number, Located>()
  for (const { key, value } of map.items) parts.set(String(key), locate(reading, value))
  const reference = parts.get('$ref')
  if (!reference) return parts
  parts.delete('$ref')
  for (const [key, part] of follow(reading, reference)) if (!parts.has(key)) parts.set(key, part)
  return parts
}

/** Returns the parts of the map that a reference refers to, or no parts if the map is missing. */
function follow(reading: Reading, reference: Located): Located['parts'] {
  const target = String(reference.value)
  const [path = '', pointer = ''] = target.split('#')
  const file = path ? posix.join(posix.dirname(reading.file), path) : reading.file
  const step = `${file}#${pointer}`
  const found = reading.folder.get(file)?.document.getIn(pointer.split('/').slice(1), true)
  if (reading.trail.includes(step)) reading.faults.add(reference, ['$ref'], `${target} leads back to itself`)
  else if (!isMap(found)) reading.faults.add(reference, ['$ref'], `${target} is not there`)
  else return locate({ ...reading, file, trail: [...reading.trail, step] }, found).parts
  return new Map()
}

/** A line of a file of the catalogue. */
export interface FileLine {
  file: string
  line: number
}

/** Collects the faults of all files of the catalogue, so that an operator sees all of them at once. */
export class Faults {
  readonly #found = new Map<string, FileLine>()

  /** Adds `models/video.yaml:123: prices.rates[0].price: message`, once. */
  add({ file, line }: FileLine, path: ValuePath, message: string): void {
    const where = path.length > 0 ? `${printPath(path)}: ` : ''
    this.#found.set(`${file}:${line}: ${where}${message}`, { file, line })
  }

  /** Throws like `raise` if there is a fault. */
  raiseIfAny(): void {
    if (this.#found.size > 0) this.raise()
  }

  /** Throws an Error that lists every fault, one per line, in the order of the files. */
  raise(): never {
    const ordered = [...this.#found].sort(([, a], [, b]) => a.file.localeCompare(b.file) || a.line - b.line)
    throw new Error(ordered.map(([text]) => text).join('\n'))
  }
}
