import { readFileSync } from 'node:fs'

/**
 * The tokens of tokens.css as properties of `:root`, for pages that Tailwind does not build. Its lines with `initial` only
 * remove Tailwind's own tokens.
 */
export const tokens = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')
  .replace(/^.*\*: initial;\n/gm, '')
  .replace('@theme {', ':root {\n  color-scheme: light dark;')

/** The style of every page that `renderPage` renders: the console's, without its layout. */
export const baseStyle = `${tokens}
*, ::before, ::after { box-sizing: border-box }
body { margin: 0 auto; padding: clamp(1rem, 8vh, 6rem) 1rem; max-width: 42rem; overflow-wrap: break-word;
  background: var(--color-canvas); color: var(--color-ink); font-variant-numeric: tabular-nums;
  font: var(--text-base) / var(--text-base--line-height) var(--font-sans) }
header { display: flex; align-items: center; gap: .5rem; margin: 0 .25rem 1rem; font-size: var(--text-lg); font-weight: 600 }
header svg { width: 1.25rem; height: 1.25rem; fill: var(--color-accent-fill) }
header path { fill: none; stroke: var(--color-on-accent); stroke-width: 2 }
main { padding: 1.5rem; border: 1px solid var(--color-line); border-radius: var(--radius-lg);
  background: var(--color-surface); box-shadow: var(--shadow-raised) }
h1 { margin: 0 0 1rem; font-size: var(--text-xl); line-height: var(--text-xl--line-height); letter-spacing: -.015em }
h2 { margin: 2rem 0 .75rem; font-size: var(--text-lg); line-height: var(--text-lg--line-height) }
h1, h2, th { font-weight: 600 }
p { margin: .75rem 0 }
main > :last-child, form > :last-child { margin-bottom: 0 }
a { color: var(--color-accent); text-underline-offset: 2px }
code, pre { font-family: var(--font-mono); font-size: var(--text-sm) }
:focus-visible { outline: 2px solid var(--color-accent); outline-offset: 2px }
label { font-size: var(--text-sm); font-weight: 500 }
input { width: 100%; height: 2.25rem; margin-top: .375rem; padding: 0 .75rem; border: 1px solid var(--color-control);
  border-radius: var(--radius-md); background: var(--color-surface); color: inherit; font: inherit;
  font-size: var(--text-base) }
[type=checkbox] { width: 1rem; height: 1rem; margin: 0 .5rem 0 0; vertical-align: -.15rem; accent-color: var(--color-accent-fill) }
button { min-height: 2.25rem; padding: .25rem .875rem; border: 1px solid var(--color-line); border-radius: var(--radius-md);
  background: var(--color-surface); color: inherit; font: inherit; font-weight: 500; box-shadow: var(--shadow-raised);
  cursor: pointer }
button:hover { background: var(--color-hover) }
.primary { border-color: transparent; background: var(--color-accent-fill); color: var(--color-on-accent) }
.primary:hover { background: var(--color-accent-hover) }
.muted { color: var(--color-muted) }
.badge { padding: 0 .375rem; border-radius: var(--radius-sm); background: var(--color-hover); color: var(--color-muted);
  font-size: var(--text-xs); font-weight: 500; line-height: var(--text-xs--line-height) }
.badge.ok { background: var(--color-ok-soft); color: var(--color-ok) }
.badge.danger { background: var(--color-danger-soft); color: var(--color-danger) }
[role=alert] { padding: .5rem .75rem; border-radius: var(--radius-md); background: var(--color-danger-soft);
  color: var(--color-danger) }
`
