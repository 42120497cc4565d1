import { useSyncExternalStore } from 'react'
import { openSignal } from './open-signal.ts'

export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

const storageKey = 'theme'
const signal = openSignal()

apply(chosenTheme())

function chosenTheme(): Theme {
  const stored = localStorage.getItem(storageKey)
  return themes.find(theme => theme === stored) ?? 'system'
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** Chooses light, dark, or what the system prefers. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme)
  apply(theme)
  signal.notify()
}

export function useTheme(): Theme {
  return useSyncExternalStore(signal.subscribe, chosenTheme)
}
