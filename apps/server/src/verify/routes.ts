import { CHECKS_LISTED, type IntegrityCheck, type StoreFault } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { listVerifyRuns, runOfClient } from './jobs.ts'

/** Seconds for which the settings of the store count as known. */
const KNOWN_FOR = 300

/** The nightly checks of the archive, as the people of a client see them. */
export const integrityRoutes = ({
  db,
  log,
  now,
  objects,
}: Pick<AppContext, 'db' | 'log' | 'now' | 'objects'>): Handlers<'listIntegrityChecks'> => {
  let known: { faults: StoreFault[]; until: number } | undefined
  const storeFaults = async (): Promise<StoreFault[] | null> => {
    if (known && known.until > now()) return known.faults
    try {
      known = { faults: (await objects.settingFaults?.()) ?? [], until: now() + KNOWN_FOR }
      return known.faults
    } catch (error) {
      log.warn({ err: error }, 'the settings of the bucket could not be read')
      return null
    }
  }
  return {
    listIntegrityChecks: async ({ caller: { client } }) => {
      const [store_faults, runs] = await Promise.all([storeFaults(), listVerifyRuns(db, CHECKS_LISTED)])
      const data = runs.map(({ started_at, ended_at, opened_part, ...run }): IntegrityCheck => ({
        started_at,
        ended_at,
        opened_part,
        ...runOfClient(run, client),
      }))
      return { store_faults, is_locked: objects.lock !== undefined, data }
    },
  }
}
