import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

const storageKey = 'theme'
const listeners = new Set<() => void>()

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
  for (const notify of listeners) notify()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme)
}
