/** The largest body, and the largest WebSocket message, that management takes, in bytes. */
export const maxBodyBytes = 1024 * 1024
