import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process in /proc. */
interface ProcessStat {
  pid: number
  parent: number
  /** CPU of the process and of its ended children, in ticks. */
  ticks: number
}

/** Memory of a process and its descendants, in bytes. */
export interface Memory {
  residentBytes: number
  /** The highest resident memory so far. */
  peakBytes: number
}

/** Whether this system reports processes in /proc, as Linux does. Without it, all figures are NaN. */
const hasProc = process.platform === 'linux'

/** Ticks per second in /proc, the same on every Linux (USER_HZ). */
const ticksPerSecond = 100

/** Returns the process and its descendants; none if the process has ended. */
export function readTree(pid: number): ProcessStat[] {
  const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? readStat(Number(name)) : []))
  const tree = all.filter(stat => stat.pid === pid)
  for (const member of tree) tree.push(...all.filter(stat => stat.parent === member.pid))
  return tree
}

/** Reads /proc/PID/stat (man 5 proc). The name, in parentheses, can hold anything: fields count from its end. */
function readStat(pid: number): ProcessStat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return [{ pid, parent: Number(fields[1]), ticks }]
  } catch {
    return [] // it has just ended
  }
}

/** Runs `work`. Resolves to its result and the CPU seconds that each process used with its descendants. */
export async function measureCpu<Result>(
  pids: Record<string, number>,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpuSeconds: Record<string, number> }> {
  const read = () => Object.values(pids).map(cpuSecondsOf)
  const before = read()
  const result = await work()
  const after = read()
  const used = Object.keys(pids).map((name, at) => [name, after[at]! - before[at]!])
  return { result, cpuSeconds: Object.fromEntries(used) }
}

function cpuSecondsOf(pid: number): number {
  if (!hasProc) return Number.NaN
  return readTree(pid).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond
}

/** Returns the memory of a process with its descendants. */
export function readMemory(pid: number): Memory {
  if (!hasProc) return { residentBytes: Number.NaN, peakBytes: Number.NaN }
  const statuses = readTree(pid).map(member => readFileSync(`/proc/${member.pid}/status`, 'latin1'))
  const sum = (field: RegExp) =>
    statuses.reduce((bytes, status) => bytes + Number(field.exec(status)?.[1] ?? 0) * 1024, 0)
  return { residentBytes: sum(/^VmRSS:\s+(\d+) kB$/m), peakBytes: sum(/^VmHWM:\s+(\d+) kB$/m) }
}

/** Returns the number of open sockets of a process. */
export function countSockets(pid: number): number {
  if (!hasProc) return Number.NaN
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
