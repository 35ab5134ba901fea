import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { AppContext } from '../app-context.ts'

/** Milliseconds that one server may take to show its certificate. */
const PATIENCE = 2_000

/** Expiry of the certificates of this installation's servers and dependencies (epoch seconds). */
export async function certificateExpiries(
  config: Pick<AppContext['config'], 'publicUrl' | 'clientPortalUrl' | 'adminPortalUrl' | 'oidc' | 's3'>,
): Promise<{ host: string; expires_at: number }[]> {
  const named = [
    config.publicUrl,
    config.clientPortalUrl,
    config.adminPortalUrl,
    config.oidc?.issuer,
    config.s3?.endpoint,
  ]
  const hosts = named.flatMap((url) => (url?.startsWith('https:') ? [new URL(url).host] : []))
  const found = await Promise.all(
    [...new Set(hosts)].map(async (host) => ({ host, expires_at: await expiry(host) })),
  )
  return found.flatMap(({ host, expires_at }) => (expires_at === undefined ? [] : [{ host, expires_at }]))
}

/** Undefined if the host does not answer. Expired and untrusted certificates are reported as well. */
function expiry(host: string): Promise<number | undefined> {
  const { hostname, port } = new URL(`https://${host}`)
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const name = hostname.replace(/^\[|\]$/g, '')
  const socket = connect(
    {
      host: name,
      port: Number(port || 443),
      ...(isIP(name) ? {} : { servername: name }),
      rejectUnauthorized: false,
    },
    () => {
      resolve(Math.floor(Date.parse(socket.getPeerCertificate().valid_to) / 1000))
      socket.destroy()
    },
  )
  socket.setTimeout(PATIENCE, () => socket.destroy())
  socket.on('error', () => undefined).on('close', () => resolve(undefined))
  return promise
}
