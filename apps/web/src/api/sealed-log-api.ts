import { type IntegrityChecks, SEALED_LIMIT, sealedLogEndpoints, type SealedLog } from '@custodia/contract'
import { portalClient } from './api.ts'
import { repeatedRead } from './call-keys.ts'

const sealedLogApi = portalClient(sealedLogEndpoints, {})

/** How far the audit log is sealed. */
export const readSealedLog = (context: Parameters<typeof repeatedRead>[0]): Promise<SealedLog> =>
  sealedLogApi.readSealedLog({ query: {} }, repeatedRead(context))

/** What the nightly checks of the archive examined and found. */
export const listIntegrityChecks = (context: Parameters<typeof repeatedRead>[0]): Promise<IntegrityChecks> =>
  sealedLogApi.listIntegrityChecks({ query: {} }, repeatedRead(context))

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
