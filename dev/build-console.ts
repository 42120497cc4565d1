import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestName, digestSources } from '../console/build/digest-sources.ts'
import { checkout } from './home.ts'

/** The built console. */
export const consoleFolder = join(checkout, 'dist/console')

const digestFile = join(consoleFolder, digestName)

/**
 * Builds the console unless the build of the same sources exists. Resolves to whether it is built: without the packages
 * for development it cannot be. Throws with the output of a build that fails.
 */
export async function buildConsole(): Promise<boolean> {
  if (existsSync(digestFile) && readFileSync(digestFile, 'utf8') === digestSources(checkout)) return true
  const vite = join(checkout, 'node_modules/vite/bin/vite.js')
  if (!existsSync(vite)) return false
  const building = spawn(process.execPath, [vite, 'build', 'console', '--logLevel', 'warn'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [building.stdout, building.stderr]) stream.on('data', data => output.push(data))
  const status = await new Promise((resolve, reject) => building.once('close', resolve).once('error', reject))
  if (status !== 0) throw new Error(`the console was not built:\n${Buffer.concat(output)}`)
  return true
}
