import { readdirSync, readlinkSync } from 'node:fs'
import { isAccounted } from './process-tree.ts'

/** Returns the number of open sockets of a process, or NaN if the system does not report it. */
export function countSockets(pid: number): number {
  if (!isAccounted) return Number.NaN
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter(name => isSocket(`${folder}/${name}`)).length
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    return false // it has just been closed
  }
}
