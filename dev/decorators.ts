import { registerHooks, setSourceMapsSupport } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'

// `node --import ./dev/decorators.ts …` runs code with decorators, which Node cannot run. Only files with decorators are
// compiled here: Node strips the types of the others itself, and stores them compiled in NODE_COMPILE_CACHE.

type Decorator = (target: object, member: PropertyKey | undefined, more: unknown) => unknown

/** The functions that compiled files call, as TypeScript defines `__decorate` and `__param`. */
const babelHelpers = {
  decorate(decorators: Decorator[], target: object, member?: PropertyKey, given?: PropertyDescriptor | null) {
    const isClass = member === undefined
    const descriptor = given === null ? Object.getOwnPropertyDescriptor(target, member!) : given
    let result: unknown = isClass ? target : descriptor
    for (const decorate of decorators.toReversed())
      result =
        (isClass ? decorate(result as object, undefined, undefined) : decorate(target, member, result)) ??
        result
    if (!isClass && result) Object.defineProperty(target, member, result as PropertyDescriptor)
    return result
  },
  decorateParam:
    (index: number, decorator: Decorator): Decorator =>
    (target, member) =>
      decorator(target, member, index),
}
Object.assign(globalThis, { babelHelpers })

const decorated = /^\s*@[A-Z]\w*\(/m

setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (loaded.format !== 'module-typescript') return loaded
    const source = String(loaded.source)
    return decorated.test(source) ? { format: 'module', source: compile(fileURLToPath(url), source) } : loaded
  },
})

/** Compiles a file with the options of tsconfig.json that concern classes. */
function compile(path: string, source: string): string {
  const { code, map, errors } = transformSync(path, source, {
    tsconfig: false,
    decorator: { legacy: true },
    assumptions: { setPublicClassFields: true },
    typescript: { onlyRemoveTypeImports: true, removeClassFieldsWithoutInitializer: true },
    helpers: { mode: 'External' },
    sourcemap: true,
  })
  if (errors[0]) throw errors[0]
  const inline = Buffer.from(JSON.stringify(map)).toString('base64')
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}`
}
