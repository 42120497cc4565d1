import { useSyncExternalStore } from 'react'
import { openSignal } from '../stores/open-signal.ts'
import { type Format, formatIn } from './format.ts'
import type { Messages } from './messages.ts'

export { counted, defineMessages, type Messages } from './messages.ts'

/** The languages of the console, by their own names. */
export const languages = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languages

const storageKey = 'language'
const signal = openSignal()
let current = firstLanguage()
document.documentElement.lang = current

/** Returns the language that the reader chose, or else the first one of the browser that the console has. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey) ?? '', ...navigator.languages]
  return wanted.map(tag => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag)
}

export function currentLanguage(): Language {
  return current
}

export function chooseLanguage(language: Language): void {
  current = language
  localStorage.setItem(storageKey, language)
  document.documentElement.lang = language
  signal.notify()
}

/** Calls a function after each change of the language. Returns a function that stops this. */
export const onLanguage = signal.subscribe

export function useLanguage(): Language {
  return useSyncExternalStore(onLanguage, currentLanguage)
}

/** Returns the texts in the reader's language. */
export function useText<Text>(messages: Messages<Text>): Text {
  return messages[useLanguage()]
}

/** Returns the formats of the reader's language. */
export function useFormat(): Format {
  return formatIn(useLanguage())
}
