import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { FileMissing, type Storage } from './storage.ts'

/** Storage in a folder, which is made with its first file. */
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
    remove: name => disk.delete(name),
    expireAfter: () => Promise.resolve(false),
    close() {},
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
