import { open, opendir } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { FileMissing, type Storage } from './storage.ts'

/** Opens storage in a folder, which is created with its first file. */
export function openFolder(path: string): Storage {
  const location = resolve(path)
  const disk = new Disk(new FSDriver({ location, visibility: 'private' }))
  return {
    write: (name, source) => disk.putStream(name, source),
    async read(name, range) {
      const file = await open(join(location, name)).catch(error => {
        throw isMissing(error) ? new FileMissing(name, error) : error
      })
      return file.createReadStream(range && { start: range.first, end: range.last })
    },
    has: name => disk.exists(name),
    list: prefix => listFolder(location, prefix),
    remove: name => disk.delete(name),
    expireAfter: () => Promise.resolve(false),
    close() {},
  }
}

async function* listFolder(location: string, prefix: string): AsyncGenerator<string> {
  const folder = await opendir(join(location, prefix), { recursive: true }).catch(error => {
    if (isMissing(error)) return []
    throw error
  })
  for await (const entry of folder)
    if (entry.isFile()) yield relative(location, join(entry.parentPath, entry.name)).split(sep).join('/')
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
