import type { AppContext } from '../app-context.ts'
import type { FindAuthorNames } from '../http/author-names.ts'
import { findDisplayNames } from './people-store.ts'

/** Seconds for which a process keeps a name. */
const FRESH = 60
/** Names that a process keeps at most. */
const KEPT = 10_000

/** Looks up display names of portal users, and keeps them for a minute. */
export function displayNames({ db, now }: Pick<AppContext, 'db' | 'now'>): FindAuthorNames {
  const kept = new Map<string, { name: string | undefined; until: number }>()
  return async (client_id, references) => {
    const keyOf = (reference: string) => `${client_id} ${reference}`
    const missing = references.filter((reference) => (kept.get(keyOf(reference))?.until ?? 0) <= now())
    if (missing.length > 0) {
      const names = await db.read(client_id, (q) => findDisplayNames(q, missing))
      if (kept.size + missing.length > KEPT) kept.clear()
      for (const reference of missing)
        kept.set(keyOf(reference), { name: names.get(reference), until: now() + FRESH })
    }
    return new Map(
      references.flatMap((reference): [string, string][] => {
        const name = kept.get(keyOf(reference))?.name
        return name === undefined ? [] : [[reference, name]]
      }),
    )
  }
}
