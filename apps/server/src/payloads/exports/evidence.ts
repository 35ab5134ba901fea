import {
  csvText,
  type Locale,
  type LoggedParameters,
  logSentenceWith,
  getParameters,
  phrase,
  type Phrase,
  type SealedEntry as DisclosedEntry,
} from '@custodia/contract'
import type { Access } from '@custodia/domain'
import {
  CONSISTENCY_FORMAT,
  proveConsistency,
  proveInclusion,
  PROOFS_FILE,
  PROOFS_FORMAT,
  type ReadNodes,
  TILE_WIDTH,
  toHex,
} from '@custodia/sealed-log'
import type { AppContext } from '../../app-context.ts'
import { findDisplayNames, nameInDocument } from '../../device-records/names-store.ts'
import { getSubjects } from '../../held-records/store.ts'
import { stateOfCode } from '../../payload-records/codes.ts'
import { readCheckpoints } from '../../sealed-log/checkpoint-store.ts'
import { getNodes, withFields } from '../../sealed-log/entry-store.ts'
import { type Holder, readHolders } from '../../sealed-log/holder-store.ts'
import { sha256 } from '../../sealed-log/notes.ts'
import type { NamedInput } from '../data/archive-files.ts'
import { type Custody, type ExportedFacts, findCustody, findTrail } from './export-store.ts'

/** An entry of the audit trail of a recording. */
export interface TrailLine {
  /** Its position in the sealed log. */
  position: number
  at: number
  text: Phrase
  /** Portals repeat it in the background: it opens nothing. */
  isBackground: boolean
}

/** What a bag says about a recording beyond its metadata, as far as the reader may know it. */
export interface RecordingEvidence {
  custody: Partial<Custody>
  /** The newest lines, which the viewer shows. */
  trail: TrailLine[]
  /** How many lines only the table has. */
  more: number
  /** Whether the export leaves out older entries. */
  isCut: boolean
}

/** Lines of a trail that are kept for the viewer; the table has all. */
const KEPT = 200

/** Reads the entries about a recording that the reader may read now. */
type ReadTrail = (facts: ExportedFacts) => Promise<{ entries: DisclosedEntry[]; isCut: boolean }>

/**
 * Writes the evidence about recordings: checkpoint, time stamps, sealed entries with their proofs, the audit trail, and
 * the custody. `found` gets what the viewer shows. Memory holds one recording's entries and a share of the tree.
 */
export async function* evidenceFiles(
  { db }: Pick<AppContext, 'db'>,
  client_id: number,
  readAccess: () => Promise<Access>,
  recordings: readonly ExportedFacts[],
  found: Map<string, RecordingEvidence>,
): AsyncGenerator<NamedInput> {
  const ids = recordings.map(({ payload_id }) => payload_id)
  const { newest, holders, custody, held } = await db.read(client_id, async (q) => ({
    newest: (await readCheckpoints(q, 1))[0],
    holders: await readHolders(q),
    custody: new Map((await findCustody(q, ids)).map((each) => [each.payload_id, each])),
    held: await getSubjects(q, ids),
  }))
  const access = await readAccess()
  for (const facts of recordings) {
    const own = custody.get(facts.payload_id)
    const nothing = { trail: [], more: 0, isCut: false }
    if (own) found.set(facts.payload_reference, { custody: visible(access, facts, own), ...nothing })
  }
  const read: ReadTrail = async (facts) => {
    const of = { held: held.get(facts.payload_id) ?? [], size: newest?.size ?? 0 }
    const present = await readAccess()
    return db.read(client_id, async (q) => {
      const { entries, isCut } = await findTrail(q, facts, of)
      const all = await withFields(q, present, entries)
      return { entries: all.filter(({ fields }) => fields !== undefined), isCut }
    })
  }
  const getLines = async (entries: readonly DisclosedEntry[]): Promise<TrailLine[]> => {
    const names = await db.read(client_id, (q) => findDisplayNames(q, getActors(entries)))
    return entries.map((entry) => trailLine(entry, names))
  }
  if (newest) {
    const { size, checkpoint } = newest
    const nodes = cachedNodes((...range) => db.read(client_id, (q) => getNodes(q, client_id)(...range)), size)
    yield ['evidence/checkpoint.txt', checkpoint]
    yield* stampFiles(holders, newest, nodes)
    yield [PROOFS_FILE, proofs()]
    async function* proofs(): AsyncGenerator<Buffer<ArrayBuffer>> {
      yield line({ format: PROOFS_FORMAT, checkpoint })
      const written = new Set<number>()
      for (const facts of recordings) {
        const { entries, isCut } = await read(facts)
        const trail = await getLines(entries.slice(0, KEPT))
        const own = found.get(facts.payload_reference)
        if (own) Object.assign(own, { trail, more: entries.length - trail.length, isCut })
        for (const entry of entries) {
          if (written.has(entry.position)) continue
          written.add(entry.position)
          const proof = await proveInclusion(sha256, nodes, entry.position, size)
          yield line({ ...entry, proof: proof.map(toHex) })
        }
      }
    }
  }
  const whole = async (facts: ExportedFacts) => getLines((await read(facts)).entries)
  yield ['evidence/audit-trail.csv', trailFile(recordings, found, whole)]
  const custodies = [...found].map(([reference, each]) => [reference, each.custody] as const)
  yield ['evidence/custody.json', `${JSON.stringify(Object.fromEntries(custodies), undefined, 2)}\n`]
}

const line = (value: object): Buffer<ArrayBuffer> => Buffer.from(`${JSON.stringify(value)}\n`)

/** Time stamps of earlier checkpoints, and proofs that the newest one continues them. */
async function* stampFiles(
  holders: readonly Holder[],
  newest: { size: number; checkpoint: string },
  nodes: ReadNodes,
): AsyncGenerator<NamedInput> {
  const stamped = holders.flatMap(({ receipt, ...holder }) => (receipt ? [{ ...holder, receipt }] : []))
  for (const [index, { checkpoint: former, size, receipt }] of stamped.entries()) {
    const n = index + 1
    yield [`evidence/time-stamp-${n}.txt`, former]
    yield [`evidence/time-stamp-${n}.tsr`, Buffer.from(receipt)]
    if (size > newest.size) continue
    const proof = (await proveConsistency(sha256, nodes, size, newest.size)).map(toHex)
    const { checkpoint } = newest
    yield [`evidence/consistency-${n}.json`, line({ format: CONSISTENCY_FORMAT, former, checkpoint, proof })]
  }
}

/** The custody without what the reader may not see. */
function visible(access: Access, facts: ExportedFacts, custody: Custody): Partial<Custody> {
  const { group_id, payload_type } = facts
  const { payload_id: _id, holders, numbers, plays, ...own } = custody
  const may = (action: string) => access.permits(action, { group_id })
  return {
    ...own,
    ...(may('devices.history:read') && { holders }),
    ...(may('devices.numbers:read') && { numbers }),
    ...(access.permits('payloads.audit:read', { group_id, payload_type }) && { plays }),
  }
}

/** What a trail says where it ends too early. */
export const OLDER = phrase(
  'This export has no older entries of people and client apps about this recording.',
  'Esta exportação não tem os registros mais antigos de pessoas e aplicativos sobre esta gravação.',
)

/** The audit trail as a table, the newest line of each recording first. `whole` reads a trail of which only a part is kept. */
async function* trailFile(
  recordings: readonly ExportedFacts[],
  found: ReadonlyMap<string, RecordingEvidence>,
  whole: (facts: ExportedFacts) => Promise<TrailLine[]>,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  const cell = (text: string) => `"${csvText(text).replaceAll('"', '""')}"`
  yield Buffer.from('payload_reference,time,en,pt,sealed_position\r\n')
  for (const facts of recordings) {
    const own = found.get(facts.payload_reference)
    if (!own) continue
    const lines = own.more > 0 ? await whole(facts) : own.trail
    const rows = lines.map(
      ({ at, text, position }) => [new Date(at * 1000).toISOString(), text, position] as const,
    )
    for (const [time, text, position] of own.isCut ? [...rows, ['', OLDER, ''] as const] : rows)
      yield Buffer.from(
        `${[facts.payload_reference, time, cell(text['en-GB']), cell(text['pt-BR']), position].join()}\r\n`,
      )
  }
}

const STATES: Readonly<Record<string, Phrase>> = {
  NotRecorded: phrase('not recorded', 'não gravada'),
  Recorded: phrase('announced', 'anunciada'),
  Uploaded: phrase('uploaded', 'enviada'),
  Scanning: phrase('being scanned', 'em verificação'),
  Processed: phrase('processed', 'processada'),
  Quarantined: phrase('quarantined', 'em quarentena'),
  Failed: phrase('failed', 'com falha'),
  Transferred: phrase('transferred', 'transferida'),
  Deleted: phrase('deleted', 'excluída'),
  Destroyed: phrase('destroyed', 'destruída'),
}

const REFUSED = phrase(' (refused)', ' (recusado)')
const APPROVED = phrase(', approved by {confirmed_by}', ', com aprovação de {confirmed_by}')
const THIS = phrase('this recording', 'esta gravação')

/** What the entries of a table say; placeholders are fields. */
const TABLES: Readonly<Record<string, Phrase>> = {
  payload_history: phrase('{by}: {state}', '{by}: {state}'),
  payload_reassignments: phrase(
    '{by} assigned it to another person or group',
    '{by} atribuiu a outra pessoa ou grupo',
  ),
  payload_write_offs: phrase('{by} wrote it off', '{by} deu baixa'),
  transfer_audit: phrase(
    'Delivered by the transfer {transfer_config_reference}',
    'Entregue pela transferência {transfer_config_reference}',
  ),
  set: phrase('{by} placed {target} on legal hold', '{by} aplicou retenção legal a {target}'),
  released: phrase('{by} released the legal hold on {target}', '{by} liberou a retenção legal de {target}'),
}

/** Fields of entries that name a portal user. */
const ACTORS = ['user_reference', 'by', 'confirmed_by'] as const

const getActors = (entries: readonly DisclosedEntry[]): string[] => [
  ...new Set(entries.flatMap(({ fields = {} }) => ACTORS.flatMap((name) => fields[name] ?? []).map(String))),
]

const SERVER = phrase('Server', 'Servidor')
/** Actors that are no people, as documents name them. */
const SYSTEM_ACTORS: Readonly<Record<string, Phrase>> = {
  upload: SERVER,
  worker: SERVER,
  'migration (system)': phrase('Migration', 'Migração'),
  'retention (system)': phrase('Retention', 'Retenção'),
  'transfers (system)': phrase('Transfer', 'Transferência'),
}
const DEVICE = phrase('Device {reference}', 'Dispositivo {reference}')

function actorIn(locale: Locale, actor: string, names: ReadonlyMap<string, string>): string {
  const isDevice = /^[0-9A-HJKMNP-TV-Z]{26}$/.test(actor) && !names.has(actor)
  if (isDevice) return filled(DEVICE[locale], { reference: actor })
  return SYSTEM_ACTORS[actor]?.[locale] ?? nameInDocument(actor, names)
}

/** An entry in words of both languages. */
function trailLine(
  { position, leaf, fields: sealed = {} }: DisclosedEntry,
  names: ReadonlyMap<string, string>,
): TrailLine {
  const fieldsIn = (locale: Locale): LoggedParameters => {
    const named = ACTORS.flatMap((name) =>
      sealed[name] ? [[name, actorIn(locale, String(sealed[name]), names)] as const] : [],
    )
    return { ...sealed, ...Object.fromEntries(named) }
  }
  const { source, at } = JSON.parse(leaf) as { source: string; at: number }
  if (source === 'portal_activities') {
    const parameters = getParameters(String(sealed.parameters))
    const sentence = logSentenceWith(String(sealed.action), parameters)
    const words = inBoth((locale) => {
      const text = sentence?.[locale] ?? `{who} · ${String(sealed.action)}`
      const values = { ...parameters, who: fieldsIn(locale).user_reference }
      const made = contracted(filled(text, { ...values, payload_reference: THIS[locale] }))
      return sealed.is_allowed === false ? made + REFUSED[locale] : made
    })
    return { position, at, text: words, isBackground: sentence?.is_background ?? false }
  }
  const text = TABLES[source === 'legal_hold_events' ? String(sealed.act) : source]
  return {
    position,
    at,
    isBackground: false,
    text: inBoth((locale) => {
      const state = sealed.to_state === undefined ? undefined : STATES[stateOfCode(Number(sealed.to_state))]
      const values = { ...fieldsIn(locale), state: state?.[locale] }
      const approval = sealed.confirmed_by ? APPROVED[locale] : ''
      return filled(`${text?.[locale] ?? source}${approval}`, values)
    }),
  }
}

/** A phrase that is made in each language. */
export const inBoth = (make: (locale: Locale) => string): Phrase => ({
  'en-GB': make('en-GB'),
  'pt-BR': make('pt-BR'),
})

/** Portuguese joins “de” and “em” with “esta”. */
const contracted = (text: string): string =>
  text
    .replaceAll(` de ${THIS['pt-BR']}`, ' desta gravação')
    .replaceAll(` em ${THIS['pt-BR']}`, ' nesta gravação')

/** Fills a text with values of any type; missing ones are left out. */
const filled = (text: string, values: LoggedParameters): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    return value === undefined || value === null
      ? '…'
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
  })

/** Tiles of the tree in memory. */
const TILES = 200

/** Reads whole tiles of a tree of `size` leaves and keeps some, because proofs of neighbours share them. */
function cachedNodes(read: ReadNodes, size: number): ReadNodes {
  const tiles = new Map<string, readonly Uint8Array[]>()
  return async (level, from, count) => {
    const nodes: Uint8Array[] = []
    for (let at = from; at < from + count;) {
      const start = at - (at % TILE_WIDTH)
      const key = `${level} ${start}`
      let hashes = tiles.get(key)
      if (!hashes) {
        if (tiles.size >= TILES) tiles.clear()
        hashes = await read(
          level,
          start,
          Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - start),
        )
        tiles.set(key, hashes)
      }
      const end = Math.min(from + count, start + TILE_WIDTH)
      nodes.push(...hashes.slice(at - start, end - start))
      at = end
    }
    return nodes
  }
}
