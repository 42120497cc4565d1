/** The oldest Node that the libraries support (flydrive's `engines`), as in `package.json`. */
const oldest = [24, 0] as const

/**
 * Ends the process with one line if its Node is too old. Import it first, before any module that would fail with a less
 * clear message. The scripts of npm always run on the Node of the package `node`, which is new enough.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const needed = `Node ${oldest.join('.')} or newer is needed`
  process.stderr.write(`${needed}, and this is ${process.versions.node}: npm run … brings its own\n`)
  process.exit(1)
}
