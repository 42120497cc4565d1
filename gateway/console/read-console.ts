import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Encodings of the built files, by the suffix of their compressed versions. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' } as const

export type Encoding = keyof typeof suffixes

/** A file of the built console, in every encoding. */
export interface ConsoleFile {
  type: string
  etag: string
  bodies: Readonly<Record<Encoding, Buffer>>
}

/**
 * The folders where the console can be: beside the compiled gateway, or in `dist` if the gateway runs from its sources.
 */
export const consoleFolders: readonly string[] = [
  join(import.meta.dirname, '../../console'),
  join(import.meta.dirname, '../../dist/console'),
]

/** Reads the built console: its files by name. Returns `undefined` if it has not been built. */
export function readConsole(candidates: readonly string[]): ReadonlyMap<string, ConsoleFile> | undefined {
  const folder = candidates.find(candidate => existsSync(join(candidate, 'files.json')))
  if (folder === undefined) return undefined
  const list: Record<string, Pick<ConsoleFile, 'type' | 'etag'>> = JSON.parse(
    readFileSync(join(folder, 'files.json'), 'utf8'),
  )
  const read = (name: string, encoding: Encoding) => readFileSync(join(folder, name + suffixes[encoding]))
  return new Map(
    Object.entries(list).map(([name, file]) => [
      name,
      {
        ...file,
        bodies: { br: read(name, 'br'), gzip: read(name, 'gzip'), identity: read(name, 'identity') },
      },
    ]),
  )
}
