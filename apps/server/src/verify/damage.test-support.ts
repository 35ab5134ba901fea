import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { IngestFixture } from '../testing/ingest-fixture.ts'
import type { Check } from './checks.ts'

/** A payload that is going to be damaged. */
export interface Victim {
  payload_id: number
  payload_reference: string
  /** Key and file of its original; without data, their expected places. */
  key: string
  file: string
}

/** What a damage must be called, on which subject. */
export type Expected = readonly [check: Check, subject: string]

export interface Damage {
  name: string
  /** What kind of payload it takes. */
  on: 'photo' | 'recorded' | 'uploaded' | 'blocked' | 'failed'
  plant(fixture: IngestFixture, victim: Victim, other: Victim): Promise<Expected[]>
}

/** A damage of shared data, and the expected findings. */
export interface SharedDamage {
  name: string
  plant(fixture: IngestFixture): Promise<(readonly [Check, string | RegExp])[]>
}

/** SQL: of the client on which most is planted. */
export const OF_ACME = `client_id = (select client_id from clients where client = 'acme')`

export const damageOn = (kind: Damage['on'], name: string, plant: Damage['plant']): Damage => ({
  name,
  on: kind,
  plant,
})

/** As the owner, past triggers and foreign keys, as when a disk or a person errs. */
export const force = (fixture: IngestFixture, statements: string) =>
  fixture.sql(`set session_replication_role = replica; ${statements}; reset session_replication_role`)

/** Where the fixture's objects are. */
export const objectsRoot = (fixture: IngestFixture) => join(fixture.ctx.config.dataDir, 'objects')

const LONG_AGO = new Date(Date.now() - 4 * 86_400_000)

/** Writes a file that is too old to belong to a running upload. */
export async function writeOld(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, 'no owner')
  await utimes(file, LONG_AGO, LONG_AGO)
}
