/** The largest body, and the largest WebSocket message, that management takes, in bytes. */
export const maxBodyBytes = 1024 * 1024

/** Values that one may have: a configuration has 500 at most, and a document a few of them. */
export const maxBodyValues = 5_000
