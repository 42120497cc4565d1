import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Returns the first executable with one of these names in the folders of `path`, which has the format of the PATH. An
 * earlier name precedes an earlier folder.
 */
export function findBinary(names: readonly string[], path = ''): string | undefined {
  const folders = path.split(delimiter).filter(folder => folder !== '')
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
