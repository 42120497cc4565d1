/** Arguments of a Node process whose code uses decorators. */
export const decoratorLoader = ['--import', new URL('decorators.ts', import.meta.url).href]
