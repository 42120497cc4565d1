/** The oldest Node that the libraries run on (flydrive's engines); `package.json` says the same. */
const oldest = [24, 0] as const

/**
 * Ends the process with one line where its Node is too old: imported before anything that would break there
 * in words of its own. npm's scripts always run on a Node that is new enough, which the package `node`
 * brings.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const needed = `Node ${oldest.join('.')} or newer is needed`
  process.stderr.write(`${needed}, and this is ${process.versions.node}: npm run … brings its own\n`)
  process.exit(1)
}
