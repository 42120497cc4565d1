/** The path below which the upstream never answers. */
export const silentPath = '/silent'
