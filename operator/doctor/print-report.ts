import { counted } from '../counted.ts'
import type { Report } from './check.ts'

/** Maximum length of a fault in the report, in characters. A server may answer with a whole page. */
const maxCharacters = 400

/** Returns the number of findings. */
export function countFindings(reports: readonly Report[]): number {
  return reports.reduce((sum, { result }) => sum + ('findings' in result ? result.findings.length : 0), 0)
}

/**
 * Returns the lines of a report: first the passed and skipped checks, then a line for each finding, and a line with their
 * number. No line contains a control character that a server has sent.
 */
export function printReport(reports: readonly Report[]): string[] {
  const width = Math.max(...reports.map(({ name }) => name.length))
  const print = (state: string, name: string, text: string) =>
    `${state.padEnd(9)}${name.padEnd(width)}  ${text}`
  const clean = (text: string) =>
    text
      .replaceAll(/\p{C}+/gu, ' ')
      .slice(0, maxCharacters)
      .toWellFormed()
  const passed = reports.flatMap(({ name, result }) => {
    if ('skipped' in result) return [print('skipped', name, clean(result.skipped))]
    return result.findings.length === 0 ? [print('ok', name, clean(result.summary))] : []
  })
  const found = reports.flatMap(({ name, result }) =>
    'skipped' in result
      ? []
      : result.findings.map(({ fault, remedy }) => print('finding', name, `${clean(fault)}. ${remedy}`)),
  )
  return [...passed, ...found, `${counted(reports.length, 'check')}, ${counted(found.length, 'finding')}`]
}
