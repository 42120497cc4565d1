import { once } from 'node:events'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface SlowHandshake {
  /** The same server over TLS. */
  url: string
  /** How many connections have come so far. */
  readonly connections: number
}

/**
 * A TLS front to a server on `port` that accepts every connection at once and lets each wait `delayMs` for its
 * handshake. This process trusts its certificate from now on. Ends with its test.
 */
export async function aSlowHandshake(port: number, delayMs: number): Promise<SlowHandshake> {
  setDefaultCACertificates([...getCACertificates('default'), certificate])
  const sockets = new Set<Socket>()
  let connections = 0
  const tls = createTlsServer({ key, cert: certificate }, secured => {
    const behind = connect(port, '127.0.0.1')
    for (const socket of [secured, behind]) socket.on('error', () => {})
    sockets.add(behind)
    secured.pipe(behind).pipe(secured)
  })
  const front = createTcpServer(socket => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    setTimeout(() => tls.emit('connection', socket), delayMs)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  onTestFinished(() => {
    front.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = front.address()
  return {
    url: `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    get connections() {
      return connections
    },
  }
}

/** Made for these tests, for 127.0.0.1 alone: `openssl req -x509 -newkey ec …`. Protects nothing. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVWgAwIBAgIUUbicT4zDAmiufvYCgy+J3uBLF7owCgYIKoZIzj0EAwIw
HjEcMBoGA1UEAwwTcnViaWNvbiB0ZXN0IHZlbmRvcjAgFw0yNjExMjIwMTU1MDFa
GA8yMTI2MTAyOTAxNTUwMVowHjEcMBoGA1UEAwwTcnViaWNvbiB0ZXN0IHZlbmRv
cjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABC8rew+l2BIzEFDFAMf/30ejL4/1
QWKQ3tdWZX9NWbmYOkV/Yrgyb5WaON/s6SCmMtHfFfUVd+ZKK0/DykzaiwijbzBt
MB0GA1UdDgQWBBR0iNuBI1yUbTb7TmDJesHVbbVf3DAfBgNVHSMEGDAWgBR0iNuB
I1yUbTb7TmDJesHVbbVf3DAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGHBH8A
AAGCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNJADBGAiEA2tmF4eKxdvibFfsLE3lg
yqYr2jFmBRMhxLbWVMeLwxMCIQCIzPhIvuV7jrhcl637aH2kwFfSHm3XeMiW9DmY
09Yvtw==
-----END CERTIFICATE-----`

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDMnQXpiFPVfhuIEc
XEvbrhgwgcU6yBomxAn+TftOpKqhRANCAAQvK3sPpdgSMxBQxQDH/99Hoy+P9UFi
kN7XVmV/TVm5mDpFf2K4Mm+Vmjjf7OkgpjLR3xX1FXfmSitPw8pM2osI
-----END PRIVATE KEY-----`
