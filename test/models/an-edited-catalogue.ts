import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'

export const shipped = new URL('../../schema/catalog', import.meta.url).pathname

/**
 * Returns the faults of a copy of the shipped catalogue in which the first `from` of each file is replaced by `to`.
 * If these are files of models, the other model files are left out to save time.
 */
export async function faultsAfter(edits: Record<string, [from: string, to: string]>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const files = Object.keys(edits).filter(file => file.startsWith('models/'))
  const isRead = (path: string) =>
    files.length === 0 || !path.includes('/models/') || files.some(file => path.endsWith(file))
  await cp(shipped, folder, { recursive: true, filter: isRead })
  for (const [file, [from, to]] of Object.entries(edits)) {
    const path = join(folder, file)
    const text = (await readFile(path, 'utf8')).replaceAll('"', "'")
    expect(text).toContain(from)
    await writeFile(path, text.replace(from, to))
  }
  return readCatalogue(folder).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  )
}
