import { readdirSync, readFileSync } from 'node:fs'

/** One process as Linux accounts for it. */
interface ProcessStat {
  pid: number
  parent: number
  /** Of itself and of its ended children, in ticks. */
  ticks: number
}

/** Whether this system reports processes in /proc, as Linux does. */
export const isAccounted = process.platform === 'linux'

/** The process and all that descend from it, as of now; empty once it has ended. */
export function readTree(pid: number): ProcessStat[] {
  const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? readStat(Number(name)) : []))
  const tree = all.filter(stat => stat.pid === pid)
  for (const member of tree) tree.push(...all.filter(stat => stat.parent === member.pid))
  return tree
}

/** Reads /proc/PID/stat (man 5 proc): the name, in parentheses, may hold anything, so fields count from behind it. */
function readStat(pid: number): ProcessStat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [userTicks = 0, systemTicks = 0, childUserTicks = 0, childSystemTicks = 0] = fields
      .slice(11, 15)
      .map(Number)
    const ticks = userTicks + systemTicks + childUserTicks + childSystemTicks
    return [{ pid, parent: Number(fields[1]), ticks }]
  } catch {
    return [] // it has just ended
  }
}
