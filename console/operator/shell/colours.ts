import type { CSSProperties } from 'react'

/** The colours by which an operator's pages differ from a customer's. They replace tokens of `ui/styles.css`. */
const accents = {
  '--color-accent': 'light-dark(#0b5a8f, #7cc4f2)',
  '--color-accent-fill': 'light-dark(#0b5a8f, #17699f)',
  '--color-accent-hover': 'light-dark(#084670, #1e7bb8)',
  '--color-accent-soft': 'light-dark(#e4f1fa, #12304a)',
  '--color-series-1': 'light-dark(#0b5a8f, #7cc4f2)',
}

/** Gives this page the colours of operators. */
export function applyOperatorColours(): void {
  for (const [name, value] of Object.entries(accents)) document.documentElement.style.setProperty(name, value)
}

/** The colours of the frame: dark blue in both themes, so that operators do not mistake it for a customer's console. */
export const frameColours: CSSProperties & Record<`--${string}`, string> = {
  colorScheme: 'dark',
  '--color-canvas': '#0a2c47',
  '--color-surface': '#0d3a5c',
  '--color-raised': '#0a2c47',
  '--color-hover': '#1b4f77',
  '--color-line': '#2d6189',
  '--color-control': '#7fa6c4',
  '--color-ink': '#ffffff',
  '--color-muted': '#c6dcec',
  '--color-accent': '#9bd3f7',
}
