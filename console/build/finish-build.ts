import { rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { measurePages, type PageSize } from './budgets.ts'
import { digestName, digestSources } from './digest-sources.ts'
import { writeFiles } from './files.ts'

/**
 * The end of a build: fails if a page is larger than its budget. Writes all files compressed to `folder`, and the digest
 * of their sources.
 */
export function finishBuild({ root, folder }: { root: string; folder: string }): Plugin {
  return {
    name: 'finish-build',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const outputs = Object.values(bundle)
        const sizes = measurePages(
          outputs.flatMap(output => (output.type === 'chunk' ? [scriptOf(output, root)] : [])),
          new Map(
            outputs.flatMap(output => (output.type === 'asset' ? [[output.fileName, output.source]] : [])),
          ),
        )
        for (const size of sizes) this.info(describe(size))
        const over = sizes.filter(({ bytes, maxBytes }) => bytes > maxBytes)
        if (over.length > 0)
          this.error(`Over the budget of console/build/budgets.ts: ${over.map(describe).join('; ')}`)
        const files = outputs.map(
          output => [output.fileName, output.type === 'chunk' ? output.code : output.source] as const,
        )
        const built = `${folder}.${process.pid}`
        await writeFiles(built, new Map(files))
        await writeFile(join(built, digestName), digestSources(join(root, '..')))
        await replaceFolder(folder, built)
      },
    },
  }
}

/** Moves `built` to `folder`. Tests build at the same time in several processes: the first one to finish provides the folder. */
async function replaceFolder(folder: string, built: string): Promise<void> {
  const old = `${built}.old`
  await rename(folder, old).catch(ignore('ENOENT'))
  await rename(built, folder).catch(ignore('ENOTEMPTY'))
  for (const left of [old, built]) await rm(left, { recursive: true, force: true })
}

function ignore(code: string) {
  return (error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error
  }
}

function scriptOf(chunk: Rolldown.OutputChunk, root: string) {
  return {
    name: chunk.fileName,
    entry: entryOf(chunk, root),
    code: chunk.code,
    imports: [...chunk.imports, ...(chunk.viteMetadata?.importedCss ?? [])],
    dynamicImports: chunk.dynamicImports,
  }
}

function entryOf({ facadeModuleId, isEntry }: Rolldown.OutputChunk, root: string): string | undefined {
  if (isEntry) return 'main.tsx' // Its module is index.html.
  return facadeModuleId ? relative(root, facadeModuleId) : undefined
}

function describe({ page, bytes, maxBytes }: PageSize): string {
  return `${page}: ${(bytes / 1000).toFixed(1)} of ${maxBytes / 1000} kB`
}
