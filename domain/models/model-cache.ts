import {
  type CatalogueEntry,
  type ChatEntry,
  type MediaEntry,
  type ModelTask,
  tasksOfMedia,
} from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { type ChatPrice, compileChatPrice } from '../pricing/compile-chat-price.ts'
import { compileMediaPrice, type MediaPrice } from '../pricing/compile-media-price.ts'
import { type AtPresent, compilePeriods, periodsOf } from '../pricing/price-periods.ts'
import { type CheckedParameters, compileParameters, openValidator } from './compile-parameters.ts'
import { loadCatalogue, type ModelRecord, readRevision } from './model-records.ts'
import { routeEntries } from './model-routes.ts'

/**
 * A chat model ready for use: its entry and its compiled prices. The prices are current when the model is found; a
 * request keeps them to its end.
 */
export interface ChatModel {
  entry: ChatEntry
  price: ChatPrice
}

/**
 * An image, video or audio model ready for use: its entry, the check of its parameters and its compiled prices, which
 * are current when the model is found.
 */
export interface MediaModel {
  entry: MediaEntry
  /** Checks parameters and fills in defaults. Throws like the check of `compileParameters`. */
  check(given: Readonly<Record<string, unknown>>): CheckedParameters
  price: MediaPrice
}

export type MediaEndpoint = keyof typeof tasksOfMedia

/** The tasks of models that take text and are charged by tokens. */
export type ChatTask = 'chat' | 'text-embedding'

/** The catalogue in the memory of this process, at most a second old. */
export interface ModelCache {
  /** Finds the active model of that name or alias, for chat unless another task is given. Throws `model_not_found`. */
  chat(model: string, task?: ChatTask): ChatModel
  /** Finds the active model of that name or alias for an endpoint of media. Throws `model_not_found`. */
  media(model: string, endpoint: MediaEndpoint): MediaModel
  /** Returns the routes of a model, in the order of the catalogue: itself, then one for each other vendor. */
  routes(model: ChatModel): ChatModel[]
  /** Returns the active fallbacks of a model, in the order of the catalogue. */
  fallbacks(model: ChatModel): ChatModel[]
  vendor(label: string): Vendor | undefined
  /** Finds a vendor by its label or an alias. */
  vendorNamed(name: string): Vendor | undefined
  /** Returns whether an active model has that name or alias. */
  knows(model: string): boolean
  /** Returns every active model. */
  all(): ModelRecord[]
  close(): void
}

const refreshMs = 1_000

/** Loads the catalogue, and reloads it whenever its revision changes. */
export async function openModelCache(
  context: Pick<Context, 'sql' | 'log' | 'config' | 'clock'>,
): Promise<ModelCache> {
  let revision = -1n
  let models: ModelRecord[] = []
  let chatModels = new Map<string, AtPresent<ChatModel>>()
  let byId = new Map<string, AtPresent<ChatModel>>()
  let routes = new Map<string, AtPresent<ChatModel>[]>() // of models with several
  let findMedia = compileOnce(context, [])
  let names = new Map<string, string>() // to the model's ID
  let vendors = new Map<string, Vendor>()
  let vendorNames = new Map<string, Vendor>()

  const load = async () => {
    const loaded = await loadCatalogue(context)
    models = loaded.models
    names = new Map(models.flatMap(({ entry }) => namesOf(entry).map(name => [name, entry.model])))
    vendors = new Map(loaded.vendors.map(vendor => [vendor.label, vendor]))
    vendorNames = new Map(
      loaded.vendors.flatMap(vendor => [vendor.label, ...(vendor.aliases ?? [])].map(name => [name, vendor])),
    )
    chatModels = new Map()
    byId = new Map()
    routes = new Map()
    for (const { entry } of models) {
      if (entry.modality !== 'chat') continue
      const compiled = compileChatModel(entry)
      chatModels.set(entry.model, compiled)
      byId.set(entry.id, compiled)
      const [, ...others] = routeEntries(entry, label => vendors.get(label))
      if (others.length > 0) routes.set(entry.id, [compiled, ...others.map(compileChatModel)])
    }
    findMedia = compileOnce(context, models)
    revision = loaded.revision
  }
  await load()
  const timer = setInterval(() => {
    readRevision(context)
      .then(latest => (latest === revision ? undefined : load()))
      .catch(error => context.log.warn({ err: error }, 'reloading the catalogue failed'))
  }, refreshMs)

  return {
    knows: model => names.has(model),
    chat(model, task = 'chat') {
      const found = chatModels.get(names.get(model) ?? '')?.(context.clock)
      if (found?.entry.task === task) return found
      throw new Problem('model_not_found', {
        param: 'model',
        message: `There is no active ${task === 'chat' ? 'chat' : 'embedding'} model ${JSON.stringify(model.slice(0, 100))}.`,
      })
    },
    media(model, endpoint) {
      const found = findMedia(names.get(model) ?? '')
      const tasks: readonly ModelTask[] = tasksOfMedia[endpoint]
      if (found && tasks.includes(found.entry.task)) return found
      throw new Problem('model_not_found', {
        param: 'model',
        message: `There is no active ${endpoint} model ${JSON.stringify(model.slice(0, 100))}.`,
      })
    },
    routes: model => routes.get(model.entry.id)?.map(route => route(context.clock)) ?? [model],
    fallbacks: ({ entry }) => entry.fallbacks.flatMap(id => byId.get(id)?.(context.clock) ?? []),
    vendor: label => vendors.get(label),
    vendorNamed: name => vendorNames.get(name),
    all: () => models,
    close: () => clearInterval(timer),
  }
}

/** Compiles the prices of a chat model, for each of its periods. */
function compileChatModel(entry: ChatEntry): AtPresent<ChatModel> {
  return compilePeriods(periodsOf(entry.prices), period => ({
    entry,
    price: compileChatPrice(entry.prices, period),
  }))
}

/** Returns the ID of a model in inference requests, and its aliases. */
function namesOf({ model, known_as = [] }: CatalogueEntry): string[] {
  return [model, ...known_as]
}

/** Finds media models by name and compiles each at its first use. */
function compileOnce(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  models: readonly ModelRecord[],
): (model: string) => MediaModel | undefined {
  const validator = openValidator(config)
  const entries = new Map<string, MediaEntry>()
  for (const { entry } of models) if (entry.modality !== 'chat') entries.set(entry.model, entry)
  const compiled = new Map<string, AtPresent<MediaModel>>()
  return model => {
    const entry = entries.get(model)
    if (!entry) return undefined
    const known = compiled.get(model)
    if (known) return known(clock)
    const check = compileParameters({ validator }, entry)
    const made = compilePeriods(periodsOf(entry.prices), period => ({
      entry,
      check,
      price: compileMediaPrice(entry, period),
    }))
    compiled.set(model, made)
    return made(clock)
  }
}
