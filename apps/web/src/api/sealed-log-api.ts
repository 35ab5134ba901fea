import { makeClientOf } from '@custodia/client'
import { SEALED_LIMIT, sealedLogEndpoints, type SealedLog } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { portalCalls } from './api.ts'
import { keyOf, repeatedRead } from './call-keys.ts'

const sealedLogApi = makeClientOf(sealedLogEndpoints, portalCalls)

/** Milliseconds between two reads of how far the log is sealed. */
const EVERY_MS = 30_000

/** How far the audit log is sealed. */
export const sealedLogQuery = queryOptions({
  queryKey: keyOf('readSealedLog'),
  queryFn: (context) => sealedLogApi.readSealedLog({ query: {} }, repeatedRead(context)),
  refetchInterval: EVERY_MS,
})

/** The sealed log as the lines of a file that `custodia-verify.mjs` verifies. */
export async function readSealedFile(
  { size, checkpoints }: SealedLog,
  onProgress: (entries: number) => void,
): Promise<string[]> {
  const [newest, ...others] = checkpoints.map(({ checkpoint }) => checkpoint)
  const head = { format: 'custodia-sealed-log/1', checkpoint: newest, checkpoints: others }
  const lines = [`${JSON.stringify(head)}\n`]
  for (let from = 0; from < size; from += SEALED_LIMIT) {
    const { data } = await sealedLogApi.listSealedEntries({ query: { from_position: from } })
    for (const entry of data) if (entry.position < size) lines.push(`${JSON.stringify(entry)}\n`)
    onProgress(Math.min(from + SEALED_LIMIT, size))
  }
  return lines
}
