import { EPOCH_GONE } from '../ports/keys/port.ts'
import { isSlotName, getPlace } from '../ports/keys/slots/layout.ts'
import { type Client, pages, type Scope } from './checks.ts'

/** Bytes of bits that a segment begins with. */
const BITS = 512

/** Slots that rows name: a bit for each, for an archive has millions. */
export class NamedSlots {
  readonly #segments = new Map<string, Buffer>()

  /** Blobs of before there were slots are passed over. */
  add(names: readonly Buffer[]): void {
    for (const { segment, index } of names.filter(isSlotName).map(getPlace)) {
      let bits = this.#segments.get(segment) ?? Buffer.alloc(BITS)
      const byte = index >> 3
      if (byte >= bits.length) bits = Buffer.concat([bits], Math.max(bits.length * 2, byte + 1))
      bits[byte] = (bits[byte] ?? 0) | (1 << (index & 7))
      this.#segments.set(segment, bits)
    }
  }

  has(name: Buffer): boolean {
    const { segment, index } = getPlace(name)
    return (((this.#segments.get(segment)?.[index >> 3] ?? 0) >> (index & 7)) & 1) === 1
  }
}

/** Rows per look; their slots lie side by side. */
const BATCH = 20_000

interface NamedSlot {
  /** Of the row, in the order of its primary key. */
  place: readonly [string, string]
  subject: string
  name: Buffer
}

/** Where rows name slots: `$1` the client, `$2` and `$3` the place after which to go on, `$4` since when. */
const NAMES: readonly { detail(place: NamedSlot['place']): string; list: string; again: string }[] = [
  {
    detail: ([, kind]) => `the slot of the key of ${kind}`,
    list: `select array[o.payload_id::text, o.kind] as place, p.payload_reference as subject, o.wrapped_dek as name
      from payload_objects o join payloads p using (client_id, payload_id)
      where o.client_id = $1 and (o.payload_id, o.kind) > ($2::bigint, $3) and o.wrapped_dek is not null
        and ($4::bigint is null or p.updated_at >= $4)
      order by o.payload_id, o.kind limit ${BATCH}`,
    again: `select wrapped_dek as name from payload_objects where client_id = $1 and payload_id = $2::bigint and kind = $3`,
  },
  {
    detail: () => 'the slot of what seals the key that its device wrapped',
    list: `select array[e.payload_id::text, ''] as place, p.payload_reference as subject, e.dek_key as name
      from payloads p join payload_envelopes e using (client_id, payload_id)
      where p.client_id = $1 and p.payload_id > $2::bigint and $3 = '' and e.dek_key is not null
        and ($4::bigint is null or p.updated_at >= $4)
      order by p.payload_id limit ${BATCH}`,
    again: `select dek_key as name from payload_envelopes where client_id = $1 and payload_id = $2::bigint and $3 = ''`,
  },
  {
    detail: () => 'the slot of the key of a comment',
    list: `select array[comment_id, ''] as place, comment_id as subject, wrapped_key as name from payload_comments
      where client_id = $1 and comment_id > $2 and $3 = '' and wrapped_key is not null
        and ($4::bigint is null or raised_at >= $4)
      order by comment_id limit ${BATCH}`,
    again: `select wrapped_key as name from payload_comments where client_id = $1 and comment_id = $2 and $3 = ''`,
  },
  {
    detail: () => 'the slot of the key of a mark',
    list: `select array[mark_id, ''] as place, mark_id as subject, wrapped_key as name from payload_marks
      where client_id = $1 and mark_id > $2 and $3 = '' and wrapped_key is not null
        and ($4::bigint is null or marked_at >= $4)
      order by mark_id limit ${BATCH}`,
    again: `select wrapped_key as name from payload_marks where client_id = $1 and mark_id = $2 and $3 = ''`,
  },
]

/** Whether every data key that a row names is in its slot, and which are named. That it opens is for the deep check. */
export async function verifySlots(scope: Scope, client: Client, named: NamedSlots): Promise<void> {
  for (const names of NAMES) await verifyNames(scope, client, names, named)
}

async function verifyNames(
  scope: Scope,
  { client_id, client }: Client,
  { detail, list, again }: (typeof NAMES)[number],
  named: NamedSlots,
): Promise<void> {
  const { ctx, findings, session } = scope
  const valuesAfter = (last?: NamedSlot) => [client_id, ...(last?.place ?? ['0', '']), scope.since]
  for await (const rows of pages<NamedSlot>(scope, list, BATCH, valuesAfter)) {
    named.add(rows.map(({ name }) => name))
    const missing = await ctx.keys.missing(rows.map(({ name }) => name))
    const lost = new Set(missing.map((name) => name.toString('hex')))
    for (const { place, subject, name } of rows) {
      if (!lost.has(name.toString('hex'))) continue
      // Destroyed since it was read: its row names no key any more.
      const [still] = await session.rows<{ name: Buffer | null }>(again, [client_id, ...place])
      if (still?.name?.equals(name)) findings.add('key_lost', client, [{ subject, detail: detail(place) }])
    }
  }
}

/**
 * How many keys no row of these clients, which are all, names, and were made so long ago that no transaction can be about to. Not wrong: an
 * announcement that was broken off leaves one, a restore of an older backup those of what came after it, and another database may name them.
 */
export async function countUnnamed(
  { ctx, session, checked }: Scope,
  clients: readonly Client[],
  named: NamedSlots,
): Promise<void> {
  // After the rows: what was destroyed meanwhile is named here until it is wiped.
  for (const client of clients) {
    await session.enter(client)
    const intents = await session.rows<{ key_names: Buffer[] }>(
      'select key_names from destruction_intents where client_id = $1',
      [client.client_id],
    )
    named.add(intents.flatMap(({ key_names }) => key_names))
  }
  checked.keys_unnamed = await ctx.keys.unnamed((name) => named.has(name), ctx.now() - EPOCH_GONE)
}

/** Whether the keystore forgets: no epoch key lives too long, and what was wiped is empty. */
export async function verifyKeystore({ ctx, findings }: Scope): Promise<void> {
  const made = await ctx.keys.keyVersionsMadeAt()
  const old = made.filter((at) => at > 0 && at < ctx.now() - EPOCH_GONE)
  findings.add(
    'epoch_old',
    null,
    old.map((at) => ({
      subject: 'the keystore',
      detail: `an epoch key of ${new Date(at * 1000).toISOString()}`,
    })),
  )
  const unwiped = await ctx.keys.unwiped()
  if (unwiped > 0)
    findings.add('slot_unwiped', null, [{ subject: 'the keystore', detail: `${unwiped} slots` }], unwiped)
}
