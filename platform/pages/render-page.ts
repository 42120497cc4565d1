import { createHash } from 'node:crypto'
import { escapeHtml } from './escape-html.ts'
import { baseStyle } from './page-style.ts'

/** A page for people. `body` is HTML. */
export interface Page {
  title: string
  body: string
  /** A word beside the name of the service, for pages that are not its own: `Simulator`. */
  badge?: string
  style?: string | undefined
  script?: string | undefined
  /** Additional directives of the content security policy. */
  policy?: readonly string[] | undefined
}

export interface RenderedPage {
  html: string
  /** The content security policy: the page's own style, script and icon, and the directives in `policy`. */
  contentSecurityPolicy: string
}

/** The icon of every page. */
export const pageIcon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%23a3123c'/%3E%3Cpath d='M5 13V3h4a3 3 0 0 1 0 6H5m4 0 3 4' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E"

/** The name of the service, with its icon, above every page. */
const brand =
  '<svg aria-hidden="true" viewBox="0 0 16 16"><rect width="16" height="16" rx="3.5"/><path d="M5 13V3h4a3 3 0 0 1 0 6H5m4 0 3 4"/></svg>Rubicon'

/** Renders a page for small and large screens, in the light or dark mode of the reader's system. */
export function renderPage({ title, body, badge, style = '', script, policy = [] }: Page): RenderedPage {
  const css = baseStyle + style
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${pageIcon}">
<title>${escapeHtml(title)}</title>
<style>${css}</style>
<header>${brand}${badge ? `<span class="badge">${escapeHtml(badge)}</span>` : ''}</header>
<main>${body}</main>
${script ? `<script>${script}</script>\n` : ''}</html>
`
  const contentSecurityPolicy = [
    "default-src 'none'",
    'img-src data:',
    `style-src ${sourceOf(css)}`,
    ...(script ? [`script-src ${sourceOf(script)}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...policy,
  ].join('; ')
  return { html, contentSecurityPolicy }
}

/** Returns the source expression by which a content security policy permits an inline style or script. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
