import { writeFile } from 'node:fs/promises'
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
        await writeFiles(folder, new Map(files))
        await writeFile(join(folder, digestName), digestSources(join(root, '..')))
      },
    },
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
