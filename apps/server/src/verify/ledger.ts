import { createHash } from 'node:crypto'
import { CLOCK } from '../held-records/store.ts'
import { STATE_CODES as S } from '../payload-records/codes.ts'
import type { Mark } from '../ports/keys/ledger/files.ts'
import { type Client, pages, type Scope } from './checks.ts'

/** Lines and rows per look. */
const BATCH = 5000
/** Seconds after which a certificate in the keystore must have a row, even if its process was killed in between. */
const KEPT_WITHIN = 900

/**
 * Verifies that the ledger in the keystore is complete, and that it agrees with the database in both directions on
 * every payload and certificate of these clients.
 */
export async function verifyLedger(scope: Scope, clients: readonly Client[]): Promise<void> {
  // A destruction that finishes meanwhile may be in the ledger after the part that was read.
  const [clock] = await scope.session.rows<{ now: string }>(`select ${CLOCK} as now`)
  const now = Number(clock?.now)
  const kept = new Map<string, CertificateDigest[]>()
  for (const client of clients) {
    await scope.session.enter(client)
    kept.set(client.client, await scope.session.rows<CertificateDigest>(CERTIFICATES, [client.client_id]))
  }
  const stated = await readFiles(scope)
  for (const client of clients) {
    await scope.session.enter(client)
    const { payloads, certificates } = stated.get(client.client) ?? nothingSaid()
    await verifyThere(scope, client, [...payloads])
    await verifyNoted(scope, client, payloads, now)
    verifyKept(scope, client, kept.get(client.client) ?? [], certificates)
    await verifyCertified(scope, client, certificates, now)
  }
}

/** Certificates of $1 client_id that a file has. */
const CERTIFICATES = `
  select certificate_reference, encode(sha256(convert_to(body, 'UTF8') || signature), 'hex') as digest
  from destruction_certificates join destruction_certificate_files using (client_id, certificate_reference) where client_id = $1`

interface CertificateDigest {
  certificate_reference: string
  /** SHA-256 of the signed text and its signature. */
  digest: string
}

/** What the files say of a client: references of payloads, and certificates by their reference. */
interface LedgerContent {
  payloads: Set<string>
  certificates: Map<string, { digest: string; issued_at: number }>
}

type Line = { client: string } & (
  | { payload_reference: string }
  | { certificate_reference: string; body: string; signature: string; issued_at: number }
)

const nothingSaid = (): LedgerContent => ({ payloads: new Set(), certificates: new Map() })

/** What the files say, by client. */
async function readFiles({ ctx, session, findings, signal }: Scope): Promise<Map<string, LedgerContent>> {
  const all = new Map<string, LedgerContent>()
  // Before their sizes: files only grow.
  const marks = await session.rows<Mark>('select file, bytes, hash from destruction_files')
  const sizes = await ctx.keys.ledger.sizes()
  for (const file of new Set([...sizes.keys(), ...marks.map((mark) => mark.file)])) {
    const known = marks.find((mark) => mark.file === file)
    let last: Mark = ctx.keys.ledger.start(file)
    let isKnown = known === undefined || known.bytes === 0
    if (sizes.has(file))
      for await (const { json, mark } of ctx.keys.ledger.read(last)) {
        signal?.throwIfAborted()
        last = mark
        isKnown ||= known?.bytes === mark.bytes && known.hash === mark.hash
        const line = JSON.parse(json) as Line
        const stated = all.get(line.client) ?? nothingSaid()
        all.set(line.client, stated)
        if ('certificate_reference' in line)
          stated.certificates.set(line.certificate_reference, getDigest(line))
        else stated.payloads.add(line.payload_reference)
      }
    if (!isKnown)
      findings.add('ledger_wrong', null, [{ subject: `${file}.ledger`, detail: 'lacks or alters lines' }])
  }
  return all
}

function getDigest({ body, signature, issued_at }: Extract<Line, { body: string }>) {
  const hash = createHash('sha256').update(body).update(Buffer.from(signature, 'base64'))
  return { digest: hash.digest('hex'), issued_at }
}

/** Certificates that the database has as noted in the files, and that are not, or are others there. */
function verifyKept(
  { findings }: Scope,
  { client }: Client,
  kept: readonly CertificateDigest[],
  stated: LedgerContent['certificates'],
): void {
  const wrong = kept.flatMap(({ certificate_reference: subject, digest }) => {
    const there = stated.get(subject)
    if (!there) return [{ subject, detail: 'not in the ledger in the keystore' }]
    return there.digest === digest ? [] : [{ subject, detail: 'another one in the ledger in the keystore' }]
  })
  findings.add('certificate_wrong', client, wrong)
}

/** Certificates that the files have, and the database does not. */
async function verifyCertified(
  { session, findings }: Scope,
  { client_id, client }: Client,
  stated: LedgerContent['certificates'],
  now: number,
): Promise<void> {
  const old = [...stated].flatMap(([reference, { issued_at }]) =>
    issued_at < now - KEPT_WITHIN ? [reference] : [],
  )
  const rows = await session.rows<{ subject: string }>(
    `select subject from unnest($2::text[]) subject
     where not exists (select from destruction_certificates where client_id = $1 and certificate_reference = subject)`,
    [client_id, old],
  )
  const detail = 'in the ledger in the keystore, and not in the database'
  findings.add(
    'certificate_wrong',
    client,
    rows.map(({ subject }) => ({ subject, detail })),
  )
}

/** What the files say is destroyed, and is not. */
async function verifyThere(
  { session, findings }: Scope,
  { client_id, client }: Client,
  references: readonly string[],
): Promise<void> {
  for (let i = 0; i < references.length; i += BATCH) {
    const rows = await session.rows<{ subject: string }>(
      `select p.payload_reference as subject from payloads p where p.client_id = $1 and p.payload_reference = any($2)
         and (p.state <> ${S.Destroyed} or not exists (
           select from destruction_ledger l where l.client_id = p.client_id and l.payload_id = p.payload_id))`,
      [client_id, references.slice(i, i + BATCH)],
    )
    const detail = 'the ledger in the keystore says that it is destroyed'
    findings.add(
      'ledger_wrong',
      client,
      rows.map(({ subject }) => ({ subject, detail })),
    )
  }
}

interface LedgerNote {
  payload_id: number
  subject: string
}

/** What the database says is noted in the files, and is not. */
async function verifyNoted(
  scope: Scope,
  { client_id, client }: Client,
  references: ReadonlySet<string>,
  before: number,
): Promise<void> {
  const sql = `select e.payload_id, l.payload_reference as subject
    from destruction_ends e join destruction_ledger l using (client_id, payload_id)
    where e.client_id = $1 and e.payload_id > $2 and e.file is not null and e.ended_at < $3 order by e.payload_id limit ${BATCH}`
  const after = (last?: LedgerNote) => [client_id, last?.payload_id ?? 0, before]
  for await (const rows of pages<LedgerNote>(scope, sql, BATCH, after)) {
    const lost = rows.filter(({ subject }) => !references.has(subject))
    scope.findings.add(
      'ledger_wrong',
      client,
      lost.map(({ subject }) => ({ subject, detail: 'not in the ledger in the keystore' })),
    )
  }
}
