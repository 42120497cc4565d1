import { type Fault, type FaultName, faultNames } from './fault.ts'

/** Reads a marker like `slow;ms=200` or `503`. Undefined where no fault has that name, or a number is none. */
export function parseFault(marker: string): Fault | undefined {
  const [word = '', ...settings] = marker.split(';').map(part => part.trim())
  const isStatus = /^[45]\d\d$/.test(word)
  const name: FaultName | undefined = isStatus ? 'status' : faultNames.find(known => known === word)
  if (!name) return undefined
  const values = new Map(settings.map(readSetting))
  const count = readNumber(values.get('n'))
  const waitMs = readNumber(values.get('ms'))
  const status = isStatus ? Number(word) : (readNumber(values.get('status')) ?? 500)
  if ([count, waitMs, status].some(Number.isNaN)) return undefined
  return { name, count, waitMs, status, key: values.get('key') }
}

function readSetting(text: string): [name: string, value: string] {
  const [name = '', ...value] = text.split('=')
  return [name.trim(), value.join('=').trim()]
}

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}
