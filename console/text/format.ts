import type { Language } from './language.ts'

/** Formats values for people, in the reader's language and time zone. */
export interface Format {
  /** An amount in US dollars, exact: all decimal places that it has, and at least two. */
  money(amount: string): string
  /** An amount in US dollars, rounded to cents. Smaller amounts keep two significant digits. */
  roundMoney(amount: string): string
  number(value: number): string
  /** A number in few characters, such as `12.4K`. */
  compact(value: number): string
  percent(share: number): string
  /** Date and time, in the reader's zone. The present year is left out. */
  dateTime(time: string): string
  /** Date and time with seconds, in UTC. */
  utc(time: string): string
  /** A day, such as `2026-11-26`, without a time zone. */
  day(day: string): string
  duration(milliseconds: number): string
}

const formats = new Map<Language, Format>()

/** Returns the formats of a language. They are created once. */
export function formatIn(language: Language): Format {
  const known = formats.get(language) ?? openFormat(language)
  formats.set(language, known)
  return known
}

const shortDate = { day: 'numeric', month: 'short' } as const

function openFormat(language: Language): Format {
  const currency = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
  const exact = new Intl.NumberFormat(language, {
    ...currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 20,
  })
  const cents = new Intl.NumberFormat(language, currency)
  const small = new Intl.NumberFormat(language, {
    ...currency,
    minimumFractionDigits: 0,
    maximumSignificantDigits: 2,
  })
  const number = new Intl.NumberFormat(language)
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const dateTime = new Intl.DateTimeFormat(language, {
    ...shortDate,
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
  })
  const withYear = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
  const utc = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' })
  const day = new Intl.DateTimeFormat(language, { ...shortDate, timeZone: 'UTC' })
  const seconds = new Intl.NumberFormat(language, { maximumFractionDigits: 2 })
  return {
    money: amount => exact.format(decimal(amount)),
    roundMoney: amount => {
      const size = Math.abs(Number(amount))
      return (size > 0 && size < 0.01 ? small : cents).format(decimal(amount))
    },
    number: value => number.format(value),
    compact: value => compact.format(value),
    percent: share => percent.format(share),
    dateTime: time => {
      const date = new Date(time)
      return (date.getFullYear() === new Date().getFullYear() ? dateTime : withYear).format(date)
    },
    utc: time => utc.format(new Date(time)),
    day: text => day.format(new Date(`${text}T00:00:00Z`)),
    duration: milliseconds =>
      milliseconds < 1000 ? `${milliseconds} ms` : `${seconds.format(milliseconds / 1000)} s`,
  }
}

/** `Intl` formats decimal text without rounding it to a float first. */
function decimal(text: string): Intl.StringNumericLiteral {
  return /^-?\d+(\.\d+)?$/.test(text) ? (text as Intl.StringNumericLiteral) : ('NaN' as never)
}
