import { createPublicKey, verify } from 'node:crypto'
import { keyIdOf } from '../ports/keys/signing.ts'
import type { Scope } from './scope.ts'

/** What is signed to see whether the key and its public half belong together. */
const PROBE = Buffer.from('custodia verify')

/** Whether the signing key opens and signs what its public half verifies, and each public key has its own name. */
export async function verifySigning({ ctx, findings }: Scope): Promise<void> {
  const found = (detail: string) => findings.add('key_refused', null, [{ subject: 'signing key', detail }])
  try {
    const listed = await ctx.keys.verificationKeys()
    for (const { key_id, public_key_pem } of listed)
      if (keyIdOf(createPublicKey(public_key_pem)) !== key_id) found(`${key_id} names another public key`)
    const { key_id, signature } = await ctx.keys.sign(PROBE)
    const pem = listed.find((each) => each.key_id === key_id)?.public_key_pem
    if (pem === undefined || !verify(null, PROBE, createPublicKey(pem), signature))
      found(`${key_id} does not verify what it signed`)
  } catch (error) {
    // Is it this key, or all of them? Throws when nothing can be said.
    await ctx.keys.health()
    found(error instanceof Error ? error.message : String(error))
  }
}
