import type { Ids } from '../../platform/ids.ts'

/** The origin of a stored file: a vendor's result, an input of a request, or an upload. */
export type MediaKind = 'result' | 'input' | 'upload'

const folders = { result: 'results', input: 'inputs', upload: 'uploads' } as const

/** Length of the random part of a name: 22 of 62 characters, which are 131 bits. */
const randomCharacters = 22

const shape = /^(results|inputs|uploads)\/(\d{4}-\d{2}-\d{2})\/[0-9A-Za-z]{22}\.[a-z0-9]{2,4}$/

/** Returns the prefix of files of a kind, for example `results/`. */
export function folderOf(kind: MediaKind): string {
  return `${folders[kind]}/`
}

/** Returns a new name for a file with this extension that is stored at `now`, in milliseconds since 1970. */
export function mintName(ids: Ids, file: { kind: MediaKind; extension: string; now: number }): string {
  const day = new Date(file.now).toISOString().slice(0, 10)
  return `${folderOf(file.kind)}${day}/${ids.secret(randomCharacters)}.${file.extension}`
}

/** Returns the name of a stored file from its URL; undefined if the file is not stored here. */
export function nameIn(url: string): string | undefined {
  const name = url.split('/').slice(-3).join('/')
  return shape.test(name) ? name : undefined
}

/** Returns the day on which a file with this name was stored, in milliseconds since 1970; undefined for other names. */
export function dayOf(name: string): number | undefined {
  const day = shape.exec(name)?.[2]
  const time = day === undefined ? Number.NaN : Date.parse(day)
  return Number.isNaN(time) ? undefined : time
}
