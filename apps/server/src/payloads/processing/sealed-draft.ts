import { newDek, openSequential, seal } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import type { Draft } from '../../ports/media/index.ts'

/** Most bytes of a draft in memory: a film of some minutes. */
const IN_MEMORY = 8 * 1024 * 1024

/** A draft that is deleted on disposal. */
export interface SealedDraft extends AsyncDisposable {
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
