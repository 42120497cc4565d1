/**
 * The page and its bar, which is light or dark as GraphiQL is: as the system, or as GraphiQL's settings say.
 */
export const barStyle = `
  body { display: flex; flex-direction: column; height: 100vh; height: 100dvh; margin: 0; color-scheme: light dark;
    background: light-dark(#fff, hsl(219 29% 18%)); color: light-dark(hsl(219 28% 32%), hsl(219 29% 78%)) }
  body.graphiql-light { color-scheme: light }
  body.graphiql-dark { color-scheme: dark }
  #root { flex: 1; min-height: 0 }
  #sign-in { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; padding: 8px 16px;
    font: 14px system-ui, sans-serif }
  #sign-in.in label, #sign-in.in [type=submit], #sign-in:not(.in) [name=out] { display: none }
  #sign-in button, #sign-in input { font: inherit; padding: 3px 10px }
  #sign-in [type=submit] { background: hsl(320 95% 43%); border: 0; border-radius: 4px; color: #fff; padding: 5px 14px }
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
    --font-family: system-ui, sans-serif; --font-family-mono: ui-monospace, monospace;
    --color-primary: 320, 95%, 38%; --color-tertiary: 188, 100%, 25%; --color-info: 208, 100%, 36%;
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
