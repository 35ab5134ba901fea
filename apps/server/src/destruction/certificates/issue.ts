import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import {
  CERTIFICATE_FORMAT,
  type CertificateSummary,
  CERTIFIED_LIMIT,
  DestructionCertificate,
  canonical,
} from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { getPage } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { checkSigned, type SignedKind } from '../../ports/keys/signed-file.ts'
import { setMark } from '../outside-store.ts'
import { replayLedger } from '../replay.ts'
import {
  type CertificateLine,
  type CertifiedPayload,
  countCertificates,
  countLeft,
  findCertificate,
  findCertificates,
  findCertified,
  findLeft,
  findReplayed,
  findUncertified,
  findUnnotedCertificates,
  insertCertificate,
  lockCertificates,
  setCertificateFiles,
  settleReplayed,
  type UncertifiedRun,
} from './certificate-store.ts'

type Parts = Parameters<typeof replayLedger>[0]
interface Account {
  client_id: number
  client: string
}

/** Certificates that are added to the ledger at a time; one may have a thousand payloads. */
const BATCH = 20

/**
 * Signs one certificate per part of each finished run. Each is written to the keystore's ledger first and then stored,
 * exactly once. Resolves to the number of certificates due.
 */
export async function issueCertificates(
  parts: Parts,
  account: Account,
  signal: AbortSignal,
): Promise<number> {
  const { db, keys } = parts
  const { client_id, client } = account
  /** Serialises the issue for the account. */
  const inTurn = (act: (tx: Tx) => Promise<void>) =>
    db.write(client_id, async (tx) => {
      await lockCertificates(tx)
      // A certificate in the ledger that a killed process did not store is stored now, not issued again.
      await replayLedger(parts)
      await act(tx)
    })
  // The ledger files were lost, or an older copy replaced them.
  while ((await db.read(client_id, (q) => findUnnotedCertificates(q, client, 1))).length > 0)
    await inTurn(async (tx) => {
      const lines = await findUnnotedCertificates(tx, client, BATCH)
      if (lines.length === 0) return
      const mark = await keys.ledger.append(lines.map((line) => JSON.stringify(line)))
      const references = lines.map(({ certificate_reference }) => certificate_reference)
      await setCertificateFiles(tx, references, mark.file)
      await setMark(tx, mark)
    })
  for (let issued = 0; ;) {
    signal.throwIfAborted()
    if (!(await db.read(client_id, findUncertified)) && !(await db.read(client_id, findReplayed)))
      return issued
    await inTurn(async (tx) => {
      const next = await getNext(tx)
      if (!next) return
      const line = await makeCertificate(parts, client, next.head, next.payloads)
      const mark = await keys.ledger.append([JSON.stringify(line)])
      await insertCertificate(tx, line, { file: mark.file, isReplayed: false })
      await setMark(tx, mark)
      issued++
    })
  }
}

/** Next run to certify: of this database, else of the replaced one. */
async function getNext(
  tx: Tx,
): Promise<{ head: UncertifiedRun; payloads: readonly CertifiedPayload[] } | undefined> {
  const run = await findUncertified(tx)
  if (run) return { head: run, payloads: await findCertified(tx, run) }
  const replayed = await findReplayed(tx)
  if (!replayed) return undefined
  const count = await countLeft(tx, replayed)
  if (count === 0) {
    await settleReplayed(tx, replayed)
    return undefined
  }
  const { run_id, began_at, ended_at, part, now } = replayed
  const parts = part - 1 + Math.ceil(count / CERTIFIED_LIMIT)
  return { head: { run_id, began_at, ended_at, part, parts, now }, payloads: await findLeft(tx, replayed) }
}

async function makeCertificate(
  { keys }: Pick<AppContext, 'keys'>,
  client: string,
  { run_id, now: issued_at, ...head }: UncertifiedRun,
  payloads: readonly CertifiedPayload[],
): Promise<CertificateLine> {
  const facts = { ...head, issued_at, certificate_reference: newId() }
  const certificate: DestructionCertificate['certificate'] = {
    format: CERTIFICATE_FORMAT,
    client,
    run: run_id,
    ...facts,
    payloads: [...payloads],
  }
  const body = canonical(certificate)
  const { key_id, signature } = await keys.sign(Buffer.from(body))
  const checksum = createHash('sha256').update(body).digest('hex')
  const kept = { ...facts, run_id, payloads: payloads.length, key_id, checksum }
  return { client, ...kept, body, signature: signature.toString('base64') }
}

const KIND: SignedKind<'certificate', DestructionCertificate['certificate']> = {
  member: 'certificate',
  format: CERTIFICATE_FORMAT,
  isWhole: (file): file is DestructionCertificate => DestructionCertificate.safeParse(file).success,
}

/** Verifies a certificate file against public keys, offline. */
export const checkCertificate = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)

/** Public keys of a file: PEM or the answer of the key call. Throws without one. */
export function publicKeysIn(text: string): KeyObject[] {
  const pems = text
    .replaceAll(String.raw`\n`, '\n')
    .match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g)
  if (!pems) throw new Error('the file contains no public key (PEM)')
  return pems.map((pem) => createPublicKey(pem))
}

/** Routes of destruction certificates. */
export const certificateRoutes = ({
  cursors,
  keys,
}: Pick<AppContext, 'cursors' | 'keys'>): Handlers<
  'listCertificates' | 'readCertificate' | 'readCertificateKeys'
> => ({
  listCertificates: async ({ caller: { client_id, client }, read }, { query }) => {
    if (query.type === 'total') return { total: await read(countCertificates) }
    return getPage<CertificateSummary, readonly [string]>(
      cursors,
      { name: 'certificates', client_id, query },
      async (after, limit) => {
        const found = await read((q) => findCertificates(q, after?.[0], limit))
        return found.map(({ run_id, ...certificate }) => ({ client, run: run_id, ...certificate }))
      },
      ({ certificate_reference }) => [certificate_reference],
    )
  },
  readCertificate: async ({ read }, { params }) => {
    const found = await read((q) => findCertificate(q, params.certificate_reference))
    if (!found) throw new Problem('not_found', { detail: 'no such certificate' })
    const { body, key_id, signature } = found
    return {
      certificate: JSON.parse(body) as DestructionCertificate['certificate'],
      signature: { algorithm: 'Ed25519', key_id, value: signature.toString('base64') },
    }
  },
  readCertificateKeys: async ({ caller: { client } }) => ({ client, keys: await keys.verificationKeys() }),
})
