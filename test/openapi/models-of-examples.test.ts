import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { compileParameters, openValidator } from '../../domain/models/compile-parameters.ts'
import { type ModelTask, tasksOfMedia } from '../../schema/catalog/entry.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { document, faultsOf, type Json } from './the-document.ts'

const control = perFile(aControlPlane)

const served = async (): Promise<Json> => (await fetch(`${control.url}/openapi.json`)).json()
const bodyOf = (description: Json, path: string) =>
  description.paths[path].post.requestBody.content['application/json']

/** Serves the models of the shipped catalogue that pass a filter. Returns them, and the document of an hour later. */
async function serveOnly(keep: (model: { model: string; task: ModelTask }) => boolean) {
  const catalogue = await theCatalogue()
  const models = catalogue.models.map(entry => ({ ...entry, active: entry.active && keep(entry) }))
  const kept = new Set(models.filter(({ active }) => active).map(({ id }) => id))
  for (const entry of models) entry.fallbacks = entry.fallbacks.filter(id => kept.has(id))
  await applyCatalogue(control.context, { ...catalogue, models })
  await sleep(1_100) // the process reads the revision at most once a second
  return { active: models.filter(({ active }) => active), description: await served() }
}

test('examples keep their models while these are served', async () => {
  expect((await serveOnly(() => true)).description).toEqual(document)
})

test('examples name other models that accept them, if theirs are not served', async () => {
  const named = new Set(JSON.stringify(document).match(/vendor_[a-r]\/[a-z0-9.-]+/g))
  const { active, description } = await serveOnly(({ model }) => !named.has(model))
  const modelNamed = (name: string) => active.find(({ model }) => model === name)
  const tasks: Record<string, readonly ModelTask[]> = {
    '/v1/chat/completions': ['chat'],
    '/v1/responses': ['chat'],
    '/v1/messages': ['chat'],
    '/v1/images/generations': ['text-to-image'],
    '/v1/images/edits': ['image-edit', 'image-to-image'],
    '/v1/videos/generations': tasksOfMedia.video,
    '/openai/v1/videos': tasksOfMedia.video,
    '/v1/audio/speech': tasksOfMedia.speech,
    '/openai/v1/audio/speech': tasksOfMedia.speech,
  }
  for (const [path, allowed] of Object.entries(tasks)) {
    const { example } = bodyOf(description, path)
    const found = modelNamed(example.model)
    expect(allowed, path).toContain(found?.task)
    const { model, ...fields } = example
    if (found && found.modality !== 'chat')
      expect(() => compileParameters({ validator: openValidator() }, found)(fields), path).not.toThrow()
    const schema = ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema']
    expect(faultsOf(example, schema), path).toEqual([])
  }
  const inPath = (path: string) => description.paths[path].get.parameters[0].example
  expect(modelNamed(inPath('/v1/models/{model}'))?.task).toBe('chat')
  const id = inPath('/api/v1/models/{model_id}')
  expect(active.some(entry => entry.id === id)).toBe(true)
})

test('an operation without models says so, and its example names none', async () => {
  const speech: readonly ModelTask[] = tasksOfMedia.speech
  const { description } = await serveOnly(({ task }) => !speech.includes(task))
  const operation = description.paths['/v1/audio/speech'].post
  expect(bodyOf(description, '/v1/audio/speech').example).toEqual({
    model: '<vendor>/<model_name>',
    input: 'Good morning.',
  })
  expect(operation.description).toMatch(/This installation currently serves no model for this operation\.$/)
  expect(description.paths['/v1/videos/generations'].post).toEqual(
    document.paths['/v1/videos/generations'].post,
  )
})

test('models that no credential of the platform reaches are not in examples', async () => {
  const settings = { VENDOR_B_API_KEY: 'sim-key', VENDOR_B_BASE_URL: 'https://vendor-b.example/v1' }
  const other = forThisTest(await aControlPlane(settings))
  await applyCatalogue(other.context, await theCatalogue())
  const description: Json = await (await fetch(`${other.url}/openapi.json`)).json()
  expect(bodyOf(description, '/v1/chat/completions').example.model).toMatch(/^vendor_b\//)
  expect(bodyOf(description, '/v1/images/generations').example.model).toBe('<vendor>/<model_name>')
})
