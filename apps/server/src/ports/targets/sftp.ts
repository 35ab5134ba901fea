import { randomUUID } from 'node:crypto'
import { join } from 'node:path/posix'
import type { Egress } from '../egress/port.ts'
import { wrapped } from './formats/wrap.ts'
import { PROBE, type SftpTarget, type TargetSession } from './port.ts'
import { dialled, PATIENCE } from './sftp-connect.ts'
import { SftpThread } from './sftp-thread.ts'

/** Concurrent deliveries, so that one does not wait for another's disk or network; all share the buffers. */
const SIDE_BY_SIDE = 8

interface Waiting {
  patience: { connect: number; silence: number }
  signal: AbortSignal
}
const NEVER = new AbortController().signal

/** Signs in and keeps the connection for any number of items; `signal` ends it. Throws TargetProblem. */
export async function sftpSession(
  target: SftpTarget,
  egress: Egress,
  { patience = PATIENCE, signal = NEVER }: Partial<Waiting> = {},
): Promise<TargetSession> {
  const addresses = await egress
    .addressesFor(target.host, target.port, { timeoutMs: patience.connect })
    .catch((cause: unknown) => {
      throw dialled(cause, target)
    })
  const thread = await SftpThread.start({ target, addresses, patience }, signal)

  return {
    side_by_side: SIDE_BY_SIDE,

    async deliver(item) {
      // The wrapper throws unless the plaintext matches the item.
      const known = item.format.type === 'Uncompressed' ? item.sha256 : undefined
      const { bytes, sha256 } = await thread.put(item.path, wrapped(item), known)
      return { dest_path: item.path, bytes, checksums: { decrypted: item.sha256, encrypted: sha256 } }
    },

    async prove(folder) {
      const probe = join(folder, `custodia-test-${randomUUID()}.txt`)
      await thread.put(
        probe,
        (async function* () {
          yield PROBE
        })(),
      )
      await thread.remove(probe)
      return { is_verified: true, is_removed: true }
    },

    close: () => thread.close(),
    moved: () => thread.moved(),
  }
}
