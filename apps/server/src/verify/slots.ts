import { EPOCH_GONE } from '../ports/keys/port.ts'
import type { Client, Scope } from './scope.ts'

/** Rows per look; their slots lie side by side. */
const BATCH = 20_000

interface Named {
  payload_id: number
  kind: string
  payload_reference: string
  wrapped_dek: Buffer
}

/** Whether every data key that a row names is in its slot. That it opens is for the deep check. */
export async function verifySlots(scope: Scope, { client_id, client }: Client): Promise<void> {
  const { house, since, findings } = scope
  for (let after: [number, string] = [0, ''], isOver = false; !isOver;) {
    scope.signal?.throwIfAborted()
    const rows = await scope.session.query<Named>(
      `select o.payload_id, o.kind, p.payload_reference, o.wrapped_dek
       from payload_objects o join payloads p using (client_id, payload_id)
       where o.client_id = $1 and (o.payload_id, o.kind) > ($2, $3) and o.wrapped_dek is not null
         and ($4::bigint is null or p.updated_at >= $4)
       order by o.payload_id, o.kind limit ${BATCH}`,
      [client_id, ...after, since],
    )
    const missing = await house.keys.missing(rows.map(({ wrapped_dek }) => wrapped_dek))
    const lost = new Set(missing.map((name) => name.toString('hex')))
    // Destroyed since it was read: its row names no key any more.
    for (const row of rows) {
      if (!lost.has(row.wrapped_dek.toString('hex'))) continue
      const [still] = await scope.session.query<Pick<Named, 'wrapped_dek'>>(
        'select wrapped_dek from payload_objects where client_id = $1 and payload_id = $2 and kind = $3',
        [client_id, row.payload_id, row.kind],
      )
      if (still?.wrapped_dek?.equals(row.wrapped_dek))
        findings.add('key_lost', client, [
          { subject: row.payload_reference, detail: `the slot of the key of ${row.kind}` },
        ])
    }
    const last = rows.at(-1)
    isOver = rows.length < BATCH
    if (last) after = [last.payload_id, last.kind]
  }
}

/** Whether the keystore forgets: no epoch key lives too long, and what was wiped is empty. */
export async function verifyKeystore({ house, findings }: Scope): Promise<void> {
  const made = await house.keys.epochsMadeAt()
  const old = made.filter((at) => at > 0 && at < house.now() - EPOCH_GONE)
  findings.add(
    'epoch_old',
    null,
    old.map((at) => ({
      subject: 'the keystore',
      detail: `an epoch key of ${new Date(at * 1000).toISOString()}`,
    })),
  )
  const unwiped = await house.keys.unwiped()
  if (unwiped > 0)
    findings.add('slot_unwiped', null, [{ subject: 'the keystore', detail: `${unwiped} slots` }], unwiped)
}
