import type { IncomingMessage } from 'node:http'
import { Problem } from '../../http/problem.ts'

/** Concurrent uploads of one device in one process; the SDK makes two. */
export const UPLOADS_PER_PHONE = 4

type Connection = Pick<IncomingMessage, 'complete' | 'destroy'>

/** The running uploads of this process: one per address, a few per device, so that no device uses all connections. */
export class RunningUploads {
  readonly #addresses = new Map<string, Connection>()
  readonly #phones = new Map<string, number>()

  /**
   * Starts an upload; the returned function ends it. A newer upload to the same address cuts the older connection,
   * unless all its bytes have arrived. Problem too_many_requests: the device has too many running uploads.
   */
  begin(address: string, phone: string, connection: Connection): () => void {
    const before = this.#addresses.get(address)
    if (before && !before.complete) before.destroy(new Error('a newer upload to the same address'))
    const running = this.#phones.get(phone) ?? 0
    if (running - (before ? 1 : 0) >= UPLOADS_PER_PHONE) throw new Problem('too_many_requests')
    this.#phones.set(phone, running + 1)
    this.#addresses.set(address, connection)
    return () => {
      if (this.#addresses.get(address) === connection) this.#addresses.delete(address)
      const left = (this.#phones.get(phone) ?? 1) - 1
      if (left > 0) this.#phones.set(phone, left)
      else this.#phones.delete(phone)
    }
  }
}
