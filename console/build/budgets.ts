import { gzipSync } from 'node:zlib'

/** A script of the built console. */
export interface Script {
  name: string
  /** The source file that this script was split off for, relative to `console`. */
  entry: string | undefined
  code: string | Uint8Array
  /** Names of the scripts and style sheets that the browser loads with this script. */
  imports: readonly string[]
  /** Names of the scripts that this script loads later. */
  dynamicImports: readonly string[]
}

/** Maximum compressed size of what a browser loads for log-in and overview together, in bytes. */
export const maxFirstBytes = 120_000
/** Maximum compressed size that any other page adds, in bytes. */
export const maxPageBytes = 60_000

/** The parts of the first load: the shell with its two pages, and the connection for subscriptions. */
const firstEntries = ['main.tsx', 'pages/log-in/page.tsx', 'graph/subscribe.ts']
/** The routes of the other pages, which are loaded with the first of them. */
const routesEntry = 'pages/routes.ts'

/** The router and the frame of operators, which each of their pages needs. Customers do not load it. */
const operatorEntry = 'operator/router.ts'

const pageEntry = /^(operator\/)?pages\/.+\/page\.tsx$/

/** The compressed size of a page, in bytes. */
export interface PageSize {
  page: string
  bytes: number
  maxBytes: number
}

/**
 * Measures the first load and each further page: scripts and the style sheets, compressed with gzip. The first load includes
 * the style sheets, but no dialogs, which are loaded when they open. A page includes the scripts that it loads later.
 * `styles` are the contents of style sheets by name.
 */
export function measurePages(
  scripts: readonly Script[],
  styles: ReadonlyMap<string, string | Uint8Array>,
): PageSize[] {
  const byName = new Map(scripts.map(script => [script.name, script]))
  const entryOf = (entry: string) => scripts.filter(script => script.entry === entry).map(({ name }) => name)
  const reachable = (
    names: readonly string[],
    found: Set<string>,
    follow: 'imports' | 'all',
  ): Set<string> => {
    for (const name of names) {
      if (found.has(name)) continue
      found.add(name)
      const { imports = [], dynamicImports = [] } = byName.get(name) ?? {}
      reachable(follow === 'all' ? [...imports, ...dynamicImports] : imports, found, follow)
    }
    return found
  }
  const bytesOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + gzipBytes(byName.get(name)?.code ?? styles.get(name) ?? ''), 0)

  const shell = reachable(entryOf('main.tsx'), new Set(styles.keys()), 'imports')
  const first = reachable(firstEntries.flatMap(entryOf), new Set(shell), 'imports')
  const routed = reachable(entryOf(routesEntry), new Set(shell), 'imports')
  const operated = reachable(entryOf(operatorEntry), new Set(shell), 'imports')
  const pages = scripts.flatMap(({ entry }) =>
    entry && pageEntry.test(entry) && !firstEntries.includes(entry) ? [entry] : [],
  )
  return [
    { page: 'log-in and overview', bytes: bytesOf(first), maxBytes: maxFirstBytes },
    { page: 'routes of the other pages', bytes: bytesOf(routed.difference(shell)), maxBytes: maxPageBytes },
    { page: 'frame of operators', bytes: bytesOf(operated.difference(shell)), maxBytes: maxPageBytes },
    ...pages.toSorted().map(page => {
      const before = page.startsWith('operator/') ? operated : routed
      const added = reachable(entryOf(page), new Set(before), 'all').difference(before)
      return {
        page: page.replace(/pages\/|\/page\.tsx$/g, ''),
        bytes: bytesOf(added),
        maxBytes: maxPageBytes,
      }
    }),
  ]
}

function gzipBytes(content: string | Uint8Array): number {
  return content.length === 0 ? 0 : gzipSync(content, { level: 9 }).length
}
