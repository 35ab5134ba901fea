import { CLOCK } from '../legal-holds/store.ts'
import { STATE_CODES as S } from '../payloads/codes.ts'
import type { Mark } from '../ports/keys/ledger/files.ts'
import { type Client, enter, type Scope } from './scope.ts'

/** Lines and rows per look. */
const BATCH = 5000

/**
 * Whether the ledger beside the keys is whole, and says of every payload of these clients what the database says: what is destroyed there is destroyed
 * here, and the other way round.
 */
export async function verifyLedger(scope: Scope, clients: readonly Client[]): Promise<void> {
  // What is finished meanwhile may be noted behind what was read.
  const [clock] = await scope.session.query<{ now: string }>(`select ${CLOCK} as now`)
  const said = await readFiles(scope)
  for (const client of clients) {
    await enter(scope.session, client)
    const references = said.get(client.client) ?? new Set()
    await verifyThere(scope, client, [...references])
    await verifyNoted(scope, client, references, Number(clock?.now))
  }
}

/** What the files say, by client. */
async function readFiles({ house, session, findings, signal }: Scope): Promise<Map<string, Set<string>>> {
  const said = new Map<string, Set<string>>()
  // Before their sizes: files only grow.
  const marks = await session.query<Mark>('select file, bytes, hash from destruction_files')
  const sizes = await house.keys.ledger.sizes()
  for (const file of new Set([...sizes.keys(), ...marks.map((mark) => mark.file)])) {
    const known = marks.find((mark) => mark.file === file)
    let last: Mark = house.keys.ledger.start(file)
    let isKnown = known === undefined || known.bytes === 0
    if (sizes.has(file))
      for await (const { json, mark } of house.keys.ledger.read(last)) {
        signal?.throwIfAborted()
        last = mark
        isKnown ||= known?.bytes === mark.bytes && known.hash === mark.hash
        const { client, payload_reference } = JSON.parse(json) as Said
        const all = said.get(client) ?? new Set()
        said.set(client, all.add(payload_reference))
      }
    if (!isKnown)
      findings.add('ledger_wrong', null, [{ subject: `${file}.ledger`, detail: 'lacks or alters lines' }])
  }
  return said
}

interface Said {
  client: string
  payload_reference: string
}

/** What the files say is destroyed, and is not. */
async function verifyThere(
  { session, findings }: Scope,
  { client_id, client }: Client,
  references: readonly string[],
): Promise<void> {
  for (let i = 0; i < references.length; i += BATCH) {
    const rows = await session.query<{ subject: string }>(
      `select p.payload_reference as subject from payloads p where p.client_id = $1 and p.payload_reference = any($2)
         and (p.state <> ${S.Destroyed} or not exists (
           select from destruction_ledger l where l.client_id = p.client_id and l.payload_id = p.payload_id))`,
      [client_id, references.slice(i, i + BATCH)],
    )
    const detail = 'the ledger beside the keys says that it is destroyed'
    findings.add(
      'ledger_wrong',
      client,
      rows.map(({ subject }) => ({ subject, detail })),
    )
  }
}

/** What the database says is noted in the files, and is not. */
async function verifyNoted(
  { session, findings }: Scope,
  { client_id, client }: Client,
  references: ReadonlySet<string>,
  before: number,
): Promise<void> {
  for (let after = 0, isOver = false; !isOver;) {
    const rows = await session.query<{ payload_id: number; subject: string }>(
      `select e.payload_id, l.payload_reference as subject from destruction_ends e join destruction_ledger l using (client_id, payload_id)
       where e.client_id = $1 and e.payload_id > $2 and e.file is not null
         and e.ended_at < $3 order by e.payload_id limit ${BATCH}`,
      [client_id, after, before],
    )
    const lost = rows.filter(({ subject }) => !references.has(subject))
    findings.add(
      'ledger_wrong',
      client,
      lost.map(({ subject }) => ({ subject, detail: 'not in the ledger beside the keys' })),
    )
    isOver = rows.length < BATCH
    after = rows.at(-1)?.payload_id ?? after
  }
}
