import { readFileSync } from 'node:fs'
import { isAccounted, readTree } from './process-tree.ts'

/** Memory of a process and its descendants, in bytes. */
export interface Memory {
  /** Resident now. */
  residentBytes: number
  /** The most that was ever resident. */
  peakBytes: number
}

/** Reads the memory of a process from /proc; NaN if the system does not report it. */
export function readMemory(pid: number): Memory {
  if (!isAccounted) return { residentBytes: Number.NaN, peakBytes: Number.NaN }
  const statuses = readTree(pid).map(member => readFileSync(`/proc/${member.pid}/status`, 'latin1'))
  const sum = (field: string) => statuses.reduce((bytes, status) => bytes + bytesOf(status, field), 0)
  return { residentBytes: sum('VmRSS'), peakBytes: sum('VmHWM') }
}

function bytesOf(status: string, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return Number(kilobytes ?? 0) * 1024
}
