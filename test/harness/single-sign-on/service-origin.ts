/** The origin in BASE_URL. Test browsers and issuers send its requests to the port on which the service listens. */
export const serviceOrigin = 'http://rubicon.test'
