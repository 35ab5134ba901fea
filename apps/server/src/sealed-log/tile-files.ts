import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { encodeEntries, getTiles, type Tile, tilePath, TILE_WIDTH, utf8 } from '@custodia/sealed-log'
import type { Queryable } from '../ports/database/lease.ts'
import { readCheckpoints } from './checkpoint-store.ts'
import { getLeaf, getNodes, readSealed } from './entry-store.ts'

/**
 * Writes the log of a client as files of C2SP tlog-tiles, which any web server can publish: `checkpoint`, tiles of hashes,
 * and bundles of entries (table, time and digest). Resolves to the number of entries; 0: nothing is sealed yet.
 */
export async function writeTileFiles(q: Queryable, folder: string): Promise<number> {
  const [newest] = await readCheckpoints(q, 1)
  if (!newest) return 0
  const { client_id } = q
  const nodes = getNodes(q, client_id)
  const read = async ({ level, index, width }: Tile): Promise<Uint8Array> => {
    const from = index * TILE_WIDTH
    if (level !== 'entries') return Buffer.concat(await nodes(level, from, width))
    const entries = await readSealed(q, { client_id, from, to: from + width })
    return encodeEntries(entries.map((entry) => utf8(getLeaf(entry))))
  }
  const hashes = getTiles(newest.size)
  const bundles = hashes.flatMap((tile) => (tile.level === 0 ? [{ ...tile, level: 'entries' as const }] : []))
  for (const tile of [...hashes, ...bundles]) {
    const path = join(folder, tilePath(tile))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, await read(tile))
  }
  // Last, so that a published checkpoint always has its tiles.
  await writeFile(join(folder, 'checkpoint'), newest.checkpoint)
  return newest.size
}
