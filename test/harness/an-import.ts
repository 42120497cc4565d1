import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const checkout = join(import.meta.dirname, '../..')

/** Returns a list in the format of models.dev with this number of models of one vendor. */
export function aModelList(count: number) {
  const models = Array.from({ length: count }, (_, index): [string, typeof model] => {
    const id = `model-${index}`
    return [id, structuredClone({ ...model, id, name: `Model ${index}` })]
  })
  return { openai: { id: 'openai', name: 'OpenAI', models: Object.fromEntries(models) } }
}

const model = {
  id: '',
  name: '',
  family: 'model',
  reasoning: true,
  reasoning_options: [{ type: 'effort', values: ['low', 'medium', 'high'] }],
  tool_call: true,
  structured_output: true,
  temperature: false,
  knowledge: '2026-01-31',
  modalities: { input: ['text', 'image', 'pdf'], output: ['text'] },
  limit: { context: 400_000, output: 128_000 },
  cost: { input: 2, output: 10, cache_read: 0.2 },
}

/** Makes the folder of a catalogue without models, for the current test. */
export async function aCatalogueFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'import-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'models'))
  await cp(join(checkout, 'schema/catalog/vendors.yaml'), join(folder, 'vendors.yaml'))
  const vendors = await readFile(join(folder, 'vendors.yaml'), 'utf8')
  await writeFile(
    join(folder, 'vendors.yaml'),
    vendors.replace('name: Alder,', 'name: OpenAI, aliases: [openai],'),
  )
  return folder
}

/** Runs `npm run catalog:import` without npm, on the catalogue in a folder. */
export function runImport(
  folder: string,
  ...args: string[]
): Promise<{ code: unknown; out: string; fault: string }> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE }
  const command = [join(checkout, 'operator/import-catalogue.ts'), '--to', folder, ...args]
  return new Promise(resolve => {
    execFile(process.execPath, command, { cwd: folder, env, maxBuffer: 10_000_000 }, (error, out, fault) =>
      resolve({ code: error?.code ?? 0, out, fault }),
    )
  })
}
