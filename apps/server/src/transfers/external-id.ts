import { createHmac } from 'node:crypto'
import type { KeyProvider } from '../ports/keys/port.ts'

/**
 * External id for AWS roles of a client, derived from an installation secret: stable, and not selectable for another
 * client. It is not secret; the customer's trust policy contains it.
 */
export async function externalIdOf(keys: Pick<KeyProvider, 'namedSecret'>, client: string): Promise<string> {
  const secret = await keys.namedSecret('transfer-external-ids')
  return `custodia-${createHmac('sha256', secret).update(client).digest('hex').slice(0, 32)}`
}
