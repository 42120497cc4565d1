import { tokens } from '../../platform/pages/page-style.ts'

/**
 * The page and its bar, which is light or dark as GraphiQL is: as the system, or as GraphiQL's settings say.
 */
export const barStyle = `${tokens}
  body { display: flex; flex-direction: column; height: 100vh; height: 100dvh; margin: 0; color-scheme: light dark;
    background: var(--color-canvas); color: var(--color-ink) }
  body.graphiql-light { color-scheme: light }
  body.graphiql-dark { color-scheme: dark }
  #root { flex: 1; min-height: 0 }
  #sign-in { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; padding: 8px 16px;
    border-bottom: 1px solid var(--color-line); background: var(--color-surface);
    font: var(--text-base) / var(--text-base--line-height) var(--font-sans) }
  #sign-in.in label, #sign-in.in [type=submit], #sign-in:not(.in) [name=out] { display: none }
  #sign-in button, #sign-in input { height: 32px; padding: 0 12px; border: 1px solid var(--color-control);
    border-radius: var(--radius-md); background: var(--color-surface); color: inherit; font: inherit }
  #sign-in button { border-color: var(--color-line); font-weight: 500; cursor: pointer }
  #sign-in [type=submit] { border-color: transparent; background: var(--color-accent-fill); color: var(--color-on-accent) }
  #sign-in a { color: inherit; margin-left: auto }
  @media (max-width: 640px) {
    #sign-in label { display: flex; flex: 1 1 100%; gap: 8px; align-items: center; justify-content: space-between }
  }
`

/**
 * Changes to GraphiQL's styles: the system's fonts, colours with a contrast of at least 4.5 to 1, tabs that do not
 * move, and, on small screens, the answer below the query instead of beside it.
 */
export const graphiqlStyle = `
  .graphiql-container, .CodeMirror-info, .CodeMirror-lint-tooltip, .graphiql-dialog, .graphiql-tooltip,
  [data-radix-popper-content-wrapper] {
    --font-family: var(--font-sans); --font-family-mono: var(--font-mono);
    --color-primary: 343, 80%, 36%; --color-tertiary: 188, 100%, 25%; --color-info: 208, 100%, 36%;
    --color-success: 158, 60%, 26%; --color-warning: 36, 100%, 28%; --color-error: 13, 93%, 40%;
    --alpha-secondary: .95; --alpha-tertiary: .85 }
  .graphiql-tab { transform: none !important }
  @media (max-width: 640px) {
    .graphiql-container { --sidebar-width: 48px !important }
    .graphiql-container .graphiql-sidebar { padding: 0 4px 8px }
    .graphiql-container .graphiql-sidebar button { width: 40px; height: 40px }
    .graphiql-container .graphiql-sessions { margin: 0 8px 8px 0 }
    .graphiql-container .graphiql-session { flex-direction: column; gap: 8px; min-height: 0 }
    .graphiql-session > div { min-width: 0; min-height: 0 }
    .graphiql-editors { min-width: 0 }
    .graphiql-container .graphiql-query-editor { padding: 8px; column-gap: 8px }
    .graphiql-logo, .graphiql-session > .graphiql-horizontal-drag-bar { display: none !important }
    .graphiql-main > div:has(> .graphiql-plugin):not([style*="-1000px"]) { flex: 1 !important }
    .graphiql-main > div:has(> .graphiql-plugin):not([style*="-1000px"]) ~ div { display: none !important }
  }
`
