import { createHmac, randomBytes } from 'node:crypto'

/** Begins a secret as it is shown, see https://www.standardwebhooks.com. */
const PREFIX = 'whsec_'

/** A new secret, and how the receiver is told of it. */
export function newWebhookSecret(): { key: Buffer; secret: string } {
  const key = randomBytes(32)
  return { key, secret: PREFIX + key.toString('base64') }
}

/**
 * The headers of a delivery by Standard Webhooks 1.0: its id, when it was sent, and the HMAC of both with the body.
 * @param sent_at epoch seconds
 */
export function signedHeaders(
  key: Buffer,
  { id, sent_at, body }: { id: string; sent_at: number; body: string },
): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${sent_at}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(sent_at),
    'webhook-signature': `v1,${signature}`,
  }
}
