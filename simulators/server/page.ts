import { renderPage, sourceOf } from '../../platform/pages/render-page.ts'

/** Fetches the page every two seconds and replaces its content if it has changed. */
const liveScript = `setInterval(async () => {
  const text = await fetch(location.href).then(answer => answer.text()).catch(() => '')
  const latest = new DOMParser().parseFromString(text, 'text/html').querySelector('main')
  const shown = document.querySelector('main')
  if (latest && latest.innerHTML !== shown.innerHTML) shown.replaceWith(latest)
}, 2000)`

/** The source expression that allows the script of a live page in a content security policy. */
export const liveScriptSource = sourceOf(liveScript)

const baseStyle = 'body { max-width: 60rem; margin: 2rem auto }'

/** On small screens, the cells of a table row are below each other. */
const smallScreenStyle = `@media (max-width: 40rem) {
    tr, td { display: block }
    tr { padding: .5rem 0; border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
    td { padding: 0; white-space: normal; overflow-wrap: anywhere }
    tr:has(> th) { display: none }
  }`

/** A page of a simulator. `body` is HTML. A live page updates itself. */
export function htmlPage({
  title,
  style = '',
  body,
  isLive = false,
}: {
  title: string
  style?: string
  body: string
  isLive?: boolean
}): string {
  return renderPage({
    title,
    body,
    style: `${baseStyle}\n${style}\n${smallScreenStyle}`,
    script: isLive ? liveScript : undefined,
  }).html
}
