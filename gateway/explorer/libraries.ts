import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The files of packages that the explorer's page contains. */
export const libraries = {
  style: ['graphiql', 'graphiql.min.css'],
  react: ['react', 'umd/react.production.min.js'],
  reactDom: ['react-dom', 'umd/react-dom.production.min.js'],
  sse: ['graphql-sse', 'umd/graphql-sse.min.js'],
  graphiql: ['graphiql', 'graphiql.min.js'],
} as const

type Library = (typeof libraries)[keyof typeof libraries]

/** Where `npm run build` copies the files, so that production needs none of these packages. */
const copies = (folder: string, [name, file]: Library) => join(folder, 'libraries', name, file)

/** Resolves to the text of a library: of the build's copy, else of the installed package. */
export function readLibrary(library: Library): Promise<string> {
  const copy = copies(import.meta.dirname, library)
  return readFile(existsSync(copy) ? copy : installed(library), 'utf8')
}

/** Copies all libraries to the compiled explorer in `folder`. */
export async function copyLibraries(folder: string): Promise<void> {
  await Promise.all(Object.values(libraries).map(library => cp(installed(library), copies(folder, library))))
}

/** Returns the path of a file of a package, which its exports need not name. */
function installed([name, file]: Library): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
  return join(dirname(manifest), file)
}
