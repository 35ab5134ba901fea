import { createHmac } from 'node:crypto'
import type { KeyProvider } from '../ports/keys/port.ts'

/**
 * What AWS is told with each role that is assumed for a client. Made of a secret of the installation, so that it is the same as long as that has its
 * keys, and nobody chooses that of another client. No secret itself: it stands in the customer's trust policy.
 */
export async function externalIdOf(keys: Pick<KeyProvider, 'namedSecret'>, client: string): Promise<string> {
  const secret = await keys.namedSecret('transfer-external-ids')
  return `custodia-${createHmac('sha256', secret).update(client).digest('hex').slice(0, 32)}`
}
