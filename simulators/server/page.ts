import { escapeHtml } from '../../platform/http/escape-html.ts'

/** A page for people, light or dark as their system is. `body` and `head` are HTML; all that it needs is in it. */
export function htmlPage(page: { title: string; head?: string; style?: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${escapeHtml(page.title)}</title>
${page.head ?? ''}
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  ${page.style ?? ''}
</style>
${page.body}
</html>
`
}
