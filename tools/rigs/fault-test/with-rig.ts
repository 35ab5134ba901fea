import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Break, brokenBuild } from '../broken-build.ts'
import { type Rig, startRig } from './rig.ts'

/** Runs `work` with two servers over one folder, from this source or a broken build. */
export async function withRig<T>(broken: Break | undefined, work: (rig: Rig) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-broken-'))
  try {
    const rig = await startRig(2, broken && (await brokenBuild(join(folder, 'build'), broken)))
    return await work(rig).finally(() => rig.close())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
