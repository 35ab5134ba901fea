import { createHmac, timingSafeEqual } from 'node:crypto'

/** The content of an address: its row of `data_addresses`, its client and its expiry (epoch seconds). */
export interface Address {
  address_id: string
  client_id: number
  expires_at: number
}

/** Signs and verifies the tokens of data addresses. The database holds payload, kind, user and session. */
export interface Addresses {
  seal(address: Address): string
  /** Undefined for a foreign token. */
  open(token: string): Address | undefined
}

/** Addresses under a secret of their own. */
export function makeAddresses(secret: Buffer): Addresses {
  const sign = (body: string) => createHmac('sha256', secret).update(body).digest()
  return {
    seal({ address_id, client_id, expires_at }) {
      const body = Buffer.from(JSON.stringify([address_id, client_id, expires_at])).toString('base64url')
      return `${body}.${sign(body).toString('base64url')}`
    },
    open(token) {
      const [body = '', signature = '', ...more] = token.split('.')
      const given = Buffer.from(signature, 'base64url')
      const made = sign(body)
      if (more.length > 0 || given.length !== made.length || !timingSafeEqual(given, made)) return undefined
      const [address_id, client_id, expires_at] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [
        string,
        number,
        number,
      ]
      return { address_id, client_id, expires_at }
    },
  }
}
