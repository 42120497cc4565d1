import type { Json, JsonRecord } from '../../json.ts'
import { writeWords } from '../text/write-words.ts'
import { fitPattern } from './fit-pattern.ts'

/** A string of the format, pattern or length that a schema asks for. A format or pattern decides the length by itself. */
export function fitString(schema: JsonRecord, { ordinal }: { ordinal: number }): string {
  const format = typeof schema.format === 'string' ? formats[schema.format] : undefined
  if (format) return format(ordinal)
  if (typeof schema.pattern === 'string') return fitPattern(schema.pattern, { ordinal })
  const least = lengthOr(schema.minLength, 0)
  const most = lengthOr(schema.maxLength, Infinity)
  const text = `${writeWords(1, ordinal)}-${ordinal.toString(36)}`
  return text.length > most ? lastCharacters(text, most) : text.padStart(least, 'abcdefghij')
}

const formats: Readonly<Record<string, (ordinal: number) => string>> = {
  'date-time': ordinal => `2026-01-${twoDigits(1 + (ordinal % 28))}T12:${twoDigits(ordinal % 60)}:00Z`,
  date: ordinal => `2026-${twoDigits(1 + (ordinal % 12))}-${twoDigits(1 + (ordinal % 28))}`,
  time: ordinal => `12:${twoDigits(ordinal % 60)}:00Z`,
  duration: ordinal => `P${1 + (ordinal % 30)}D`,
  email: ordinal => `person.${ordinal}@example.com`,
  hostname: ordinal => `host-${ordinal}.example.com`,
  ipv4: ordinal => `192.0.2.${ordinal % 256}`,
  ipv6: ordinal => `2001:db8::${(ordinal % 0xffff).toString(16)}`,
  uri: ordinal => `https://example.com/${ordinal}`,
  'uri-reference': ordinal => `/${ordinal}`,
  url: ordinal => `https://example.com/${ordinal}`,
  uuid: ordinal => `00000000-0000-4000-8000-${ordinal.toString(16).padStart(12, '0')}`,
  'json-pointer': ordinal => `/${ordinal}`,
  regex: ordinal => `^${ordinal}$`,
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** The end of a text, where neighbouring ordinals differ. */
function lastCharacters(text: string, count: number): string {
  return count === 0 ? '' : text.slice(-count)
}

function lengthOr(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
