import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as getText } from 'node:stream/consumers'
import {
  type Checkpoint,
  cosignedText,
  equal,
  formatCosignature,
  formatWitnessKey,
  fromBase64,
  isConsistent,
  type NoteKey,
} from '@custodia/sealed-log'
import { openCheckpoint, sha256 } from '../sealed-log/notes.ts'

/** A witness in memory (C2SP tlog-witness) for one log. */
export interface TestWitness {
  url: string
  key: string
  /** The newest checkpoint that it signed. */
  seen: () => Checkpoint | undefined
  close(): void
}

/** Starts a witness that trusts the keys of a log; `more` follows its signatures. */
export async function startWitness(
  trusted: () => Promise<readonly NoteKey[]>,
  more = '',
): Promise<TestWitness> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const key = { name: 'witness.test', public_key }
  let seen: Checkpoint | undefined

  async function add(body: string): Promise<{ status: number; answer: string }> {
    const end = body.indexOf('\n\n')
    const [first = '', ...lines] = body.slice(0, end).split('\n')
    const note = body.slice(end + 2)
    const old = Number(/^old (\d+)$/.exec(first)?.[1])
    const latter = openCheckpoint(note, await trusted())
    if (!latter) return { status: 403, answer: '' }
    if (old !== (seen?.size ?? 0) || latter.size < old) return { status: 409, answer: `${seen?.size ?? 0}\n` }
    const proof = lines.map((line) => fromBase64(line) ?? new Uint8Array())
    const isSame = seen?.size === latter.size && equal(seen.root, latter.root)
    if (seen && !isSame && !isConsistent(sha256, { former: seen, latter, proof }))
      return { status: 422, answer: '' }
    seen = latter
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
    const time = 1_800_000_000
    const signature = sign(null, cosignedText(time, text), privateKey)
    return { status: 200, answer: `${formatCosignature(sha256, key, time, signature)}${more}` }
  }

  const server = createServer((request, response) => {
    void getText(request)
      .then(add)
      .then(({ status, answer }) => response.writeHead(status).end(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    key: formatWitnessKey(sha256, key),
    seen: () => seen,
    close: () => server.close(),
  }
}
