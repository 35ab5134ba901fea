import {
  openCosignature,
  parseCheckpoint,
  parseWitnessKey,
  proveConsistency,
  toBase64,
} from '@custodia/sealed-log'
import type { Queryable } from '../ports/database/lease.ts'
import { getNodes } from './entry-store.ts'
import { sha256, verifyEd25519 } from './notes.ts'
import { ask, ContradictedCheckpoint, type Recipient } from './share.ts'

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
          old === 0 ? [] : await read((q) => proveConsistency(sha256, getNodes(q, q.client_id), old, size))
        const text = `old ${old}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${checkpoint}`
        const { status, body } = await ask(`${url.replace(/\/$/, '')}/add-checkpoint`, text, signal)
        return { status, lines: body.toString() }
      }
      let { status, lines } = await submit(former?.size ?? 0)
      if (status === 409 && /^\d{1,15}\n?$/.test(lines)) {
        const seen = Number(lines)
        if (seen > size) throw new ContradictedCheckpoint(seen, 'cut_off')
        ;({ status, lines } = await submit(seen))
      }
      if (status === 422) throw new ContradictedCheckpoint(former?.size ?? 0, 'changed')
      if (status !== 200) throw new Error(`the witness refused (${status})`)
      // Nothing else of the answer is kept: with it, the checkpoint could not be read any more.
      const signature = lines
        .split('\n')
        .find((line) => openCosignature({ sha256, verify: verifyEd25519 }, key, body, line) !== undefined)
      if (!parseCheckpoint(body) || signature === undefined)
        throw new Error('the witness answered without its signature')
      return { checkpoint: `${checkpoint}${signature}\n` }
    },
  }
}
