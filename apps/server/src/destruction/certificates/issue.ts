import { CERTIFICATE_FORMAT, type DestructionCertificate } from '@custodia/contract'
import { createHash } from 'node:crypto'
import type { House } from '../../house.ts'
import { newId } from '../../http/new-id.ts'
import { canonical } from './canonical.ts'
import { findCertified, findUncertified, insertCertificate } from './certificate-store.ts'

/**
 * Signs what is gone: one certificate for each part of each run that is over, once nothing of it is left to be removed. Each is kept once, whoever
 * made it. Resolves to how many there were to make.
 */
export async function issueCertificates(
  { db, keys }: Pick<House, 'db' | 'keys'>,
  { client_id, client }: { client_id: number; client: string },
  signal: AbortSignal,
): Promise<number> {
  for (let issued = 0; ; issued++) {
    signal.throwIfAborted()
    const run = await db.read(client_id, findUncertified)
    if (!run) return issued
    const payloads = await db.read(client_id, (q) => findCertified(q, run))
    const { run_id, now: issued_at, ...head } = run
    const facts = { ...head, issued_at, certificate_reference: newId() }
    const certificate: DestructionCertificate['certificate'] = {
      format: CERTIFICATE_FORMAT,
      client,
      run: run_id,
      ...facts,
      payloads,
    }
    const body = canonical(certificate)
    const { key_id, signature } = await keys.sign(Buffer.from(body))
    const checksum = createHash('sha256').update(body).digest('hex')
    const stored = { ...facts, run_id, payloads: payloads.length, key_id, checksum }
    await db.write(client_id, (tx) => insertCertificate(tx, stored, { body, signature }))
  }
}
