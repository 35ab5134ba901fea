import { createHash } from 'node:crypto'
import type { Adapter } from 'oidc-provider'
import type { Database } from '../database/pool.ts'

/**
 * Models whose id is itself the secret: only its hash is stored, so that a copy of the database contains no
 * usable token.
 */
const HASHED: ReadonlySet<string> = new Set(['AuthorizationCode', 'AccessToken', 'RefreshToken'])

type Item = Record<string, unknown>

/** Most characters of an item: a caller without a sign-in can make 50 a second, which stay for ten minutes. */
const LONGEST = 4096

/** A NUL, or half a surrogate pair, in JSON: PostgreSQL accepts neither. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** The storage of the embedded provider: one table, so that restarts and several processes share it. */
export function getItems(db: Database, now: () => number): (model: string) => Adapter {
  return (model) => {
    const isHashed = HASHED.has(model)
    const getKey = (id: string) => (isHashed ? createHash('sha256').update(id).digest('base64url') : id)
    const find = async (column: 'id' | 'uid', value: string): Promise<Item | undefined> => {
      if (value.includes('\0')) return undefined
      return db.global((q) =>
        q.value<Item>(
          `select payload from oidc_items where model = $1 and ${column} = $2 and expires_at > $3`,
          [model, value, now()],
        ),
      )
    }
    return {
      async upsert(id, { jti, ...payload }, expires_in) {
        const stored = JSON.stringify(isHashed ? payload : { ...payload, jti })
        if (UNSTORABLE.test(stored) || stored.length > LONGEST) {
          const { errors } = await import('oidc-provider')
          throw new errors.InvalidRequest('a parameter holds what is no text, or is too long')
        }
        await db.globalWrite((tx) =>
          tx.query(UPSERT, [
            model,
            getKey(id),
            stored,
            payload.grantId ?? null,
            payload.uid ?? null,
            now() + expires_in,
          ]),
        )
      },
      async find(id) {
        const payload = await find('id', getKey(id))
        return payload && isHashed ? { ...payload, jti: id } : payload
      },
      findByUid: (uid) => find('uid', uid),
      // The device flow is not offered.
      findByUserCode: async () => undefined,
      async consume(id) {
        const { rowCount } = await db.globalWrite((tx) => tx.query(CONSUME, [model, getKey(id), now()]))
        // Of two parallel uses only one may succeed.
        if (rowCount === 0) {
          const { errors } = await import('oidc-provider')
          throw new errors.InvalidGrant(`${model} already consumed`)
        }
      },
      async destroy(id) {
        await db.globalWrite((tx) =>
          tx.query('delete from oidc_items where model = $1 and id = $2', [model, getKey(id)]),
        )
      },
      async revokeByGrantId(grant_id) {
        await db.globalWrite((tx) =>
          tx.query('delete from oidc_items where model = $1 and grant_id = $2', [model, grant_id]),
        )
      },
    }
  }
}

const UPSERT = `
  insert into oidc_items (model, id, payload, grant_id, uid, expires_at) values ($1, $2, $3, $4, $5, $6)
  on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
    uid = excluded.uid, expires_at = excluded.expires_at`
const CONSUME = `
  update oidc_items set payload = jsonb_set(payload, '{consumed}', to_jsonb($3::bigint))
  where model = $1 and id = $2 and not payload ? 'consumed'`

/** Removes what has expired. */
export async function purgeItems(db: Database, now: number): Promise<void> {
  await db.globalWrite((tx) => tx.query('delete from oidc_items where expires_at <= $1', [now]))
}
