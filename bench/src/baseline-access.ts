import type { Access } from '@custodia/domain'
import { accessIn } from '../../apps/server/src/access/load.ts'
import { compileRights } from '../../apps/server/src/access/rights.ts'
import { readSource } from '../../apps/server/src/access/store.ts'
import type { Queryable } from '../../apps/server/src/ports/database/lease.ts'

const known = new Map<string, Promise<Access>>()

/** The access of a person with this role. A floor evaluates it once, because no floor measures rights. */
export function accessOfRole(q: Queryable, role: string): Promise<Access> {
  const access = known.get(role) ?? evaluate(q, role)
  known.set(role, access)
  return access
}

async function evaluate(q: Queryable, role: string): Promise<Access> {
  const rights = compileRights(await readSource(q))
  const access = accessIn(rights, { roles: [role], groups: null, ip: '127.0.0.1' })
  const lanes = new Map<string, ReturnType<Access['lanes']>>()
  return {
    ...access,
    lanes(action) {
      const found = lanes.get(action) ?? access.lanes(action)
      lanes.set(action, found)
      return found
    },
  }
}
