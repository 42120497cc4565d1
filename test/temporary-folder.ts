import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Provides the folder for temporary files to tests that need no services. */
export default async function provideFolder(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-functions-'))
  project.provide('folder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
