import { randomBytes } from 'node:crypto'
import { associatedData, hashing, newDek, openSequential, seal } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import { dekContext } from '../../ports/keys/contexts.ts'
import type { Draft } from '../../ports/media/index.ts'
import type { LockedVersion } from '../../ports/objects/port.ts'
import { DRAFT, type ObjectDetails } from '../data-objects.ts'
import type { Subject } from './attempts-store.ts'

/** Most bytes of a draft in memory: a film of some minutes. */
const IN_MEMORY = 8 * 1024 * 1024

interface SealedDraft extends AsyncDisposable {
  keep: Draft
}

/**
 * Buffers output: small in memory, larger sealed in the object store under a key that is never stored. The object sweep
 * removes drafts of crashed attempts, which cannot be decrypted.
 */
export function sealedDraft(
  { objects }: Pick<AppContext, 'objects'>,
  aad: Uint8Array,
  object_key: string,
): SealedDraft {
  const dek = newDek()
  let isStored = false
  return {
    async keep(chunks) {
      const held: Buffer[] = []
      let size = 0
      const rest = chunks[Symbol.asyncIterator]()
      for (let next = await rest.next(); !next.done; next = await rest.next()) {
        held.push(next.value)
        size += next.value.length
        if (size <= IN_MEMORY) continue
        isStored = true
        await objects.put(object_key, seal(dek, aad, joined(held.splice(0), rest)))
        return () => openSequential(dek, aad, objects.read(object_key))
      }
      return () => joined(held)
    },
    async [Symbol.asyncDispose]() {
      dek.fill(0)
      if (isStored) await objects.delete(object_key)
    },
  }
}

/** The chunks that were read, then the remaining ones. Ending early also ends the source. */
async function* joined(taken: readonly Buffer[], rest?: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* taken
    for (let next = await rest?.next(); next && !next.done; next = await rest?.next()) yield next.value
  } finally {
    await rest?.return?.()
  }
}

type Owner = Pick<Subject, 'client' | 'payload_reference'>

/** A derived object as its row describes it. */
export interface StoredDerivation {
  kind: string
  object_key: string
  wrapped_dek: Buffer
  /** Size in the store, and decrypted. */
  sealed_size: number
  size: number
  content_type: string
  /** SHA-256 of the plaintext. */
  checksum: string
  details: ObjectDetails
  /** The lock in a store that has some. */
  lock?: LockedVersion | undefined
}

/**
 * Stores derived objects of a payload, each sealed under its own key. Random names avoid collisions with
 * those of a crashed attempt, which the sweep removes.
 */
export class ObjectMaker {
  readonly made: StoredDerivation[] = []
  readonly #ctx: AppContext
  readonly #subject: Owner

  constructor(ctx: AppContext, subject: Owner) {
    this.#ctx = ctx
    this.#subject = subject
  }

  async make(
    kind: string,
    content_type: string,
    source: AsyncIterable<Uint8Array>,
  ): Promise<StoredDerivation> {
    const { client, payload_reference } = this.#subject
    const dek = newDek()
    const plain = hashing(source)
    const object_key = this.#getKey(kind)
    const sealed = seal(dek, associatedData({ client, payload_reference, kind }), plain.stream)
    // Concurrent with the object, which takes longer. When one of them fails, no row names the other.
    const keeping = this.#ctx.keys.put(dek, dekContext(client, payload_reference))
    keeping.catch(() => undefined)
    const { size } = await this.#ctx.objects.put(object_key, sealed)
    const made: StoredDerivation = {
      kind,
      object_key,
      wrapped_dek: await keeping,
      sealed_size: size,
      size: plain.size(),
      content_type,
      checksum: plain.digest(),
      details: {},
    }
    this.made.push(made)
    return made
  }

  /** A draft for an unfinished object; its content is deleted with it. */
  draft(): SealedDraft {
    const { client, payload_reference } = this.#subject
    return sealedDraft(
      this.#ctx,
      associatedData({ client, payload_reference, kind: DRAFT }),
      this.#getKey(DRAFT),
    )
  }

  #getKey(kind: string): string {
    const { client, payload_reference } = this.#subject
    return `${client}/${payload_reference}/${kind}-${randomBytes(9).toString('hex')}`
  }

  /** Removes all objects of the attempt. */
  async discard(): Promise<void> {
    const made = this.made.splice(0)
    for (const { object_key } of made) await this.#ctx.objects.delete(object_key)
    await this.#ctx.keys.forget(made.map(({ wrapped_dek }) => wrapped_dek))
  }
}
