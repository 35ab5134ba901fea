import {
  openCosignature,
  parseCheckpoint,
  parseWitnessKey,
  proveConsistency,
  toBase64,
} from '@custodia/sealed-log'
import type { Queryable } from '../ports/database/lease.ts'
import { nodesOf } from './entry-store.ts'
import { sha256, verifyEd25519 } from './notes.ts'
import { Contradicted, type Recipient } from './share.ts'

/** Milliseconds for an answer of the witness. */
const PATIENCE_MS = 20_000

/** A witness of the operator's choice. */
export interface Witness {
  /** The address before `/add-checkpoint`. */
  url: string
  /** Its public key as text. */
  key: string
}

/**
 * Has checkpoints cosigned by a witness (C2SP tlog-witness), which signs only logs that continue what it saw before.
 * @param read runs a read on the client's database
 */
export function witnessRecipient(
  { url, key: text }: Witness,
  read: <T>(work: (q: Queryable) => Promise<T>) => Promise<T>,
): Recipient {
  const key = parseWitnessKey(sha256, text)
  if (!key) throw new Error('WITNESS_KEY is not the key of a witness')
  return {
    holder: `witness ${key.name}`,
    async hold({ checkpoint, size, former }, signal) {
      const body = checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1)
      const submit = async (old: number) => {
        const proof =
          old === 0 ? [] : await read((q) => proveConsistency(sha256, nodesOf(q, q.client_id), old, size))
        return fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
          method: 'POST',
          body: `old ${old}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${checkpoint}`,
          signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
        })
      }
      let response = await submit(former?.size ?? 0)
      if (response.status === 409) {
        const seen = Number(await response.text())
        if (seen > size) throw new Contradicted(seen, 'cut_off')
        response = await submit(seen)
      }
      const lines = await response.text()
      if (response.status === 422) throw new Contradicted(former?.size ?? 0, 'changed')
      if (!response.ok) throw new Error(`the witness refused (${response.status})`)
      if (
        !parseCheckpoint(body) ||
        openCosignature({ sha256, verify: verifyEd25519 }, key, body, lines) === undefined
      )
        throw new Error('the witness answered without its signature')
      return { checkpoint: `${checkpoint}${lines.endsWith('\n') ? lines : `${lines}\n`}` }
    },
  }
}
