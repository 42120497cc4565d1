import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Resolves to the names of the SQL files in a folder, in order. */
export async function filesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
}

/** Resolves to the text of a file in `statements`, and its hash in the database's history. */
export async function readStatement(folder: string, name: string): Promise<{ text: string; sha256: string }> {
  const text = await readFile(join(folder, name), 'utf8')
  return { text, sha256: createHash('sha256').update(text).digest('hex') }
}
