import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { type Phrase, phrase, PROVIDER_CLIENT } from '@custodia/contract'
import type { Database } from '../database/pool.ts'

/** Cost by OWASP's password storage cheat sheet: 32 MiB, three passes. */
const COST = { N: 2 ** 15, r: 8, p: 3 }
/** For a published password: guessing it need not be expensive. */
export const PUBLIC_COST = { N: 2 ** 10, r: 8, p: 1 }
const LENGTH = 32

/** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** A hash that no password matches: checking it takes as long as checking a real one. */
const UNKNOWN_PERSON = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${randomBytes(LENGTH).toString('base64url')}`

/** Whether the password is right. Takes the same time for unknown people (`undefined`). */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = (hash ?? UNKNOWN_PERSON).split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost)
  const wanted = Buffer.from(expected, 'base64url')
  return wanted.length === derived.length && timingSafeEqual(wanted, derived)
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    // NFKC: the same characters from another keyboard are the same password (RFC 8265).
    scrypt(password.normalize('NFKC'), salt, LENGTH, { ...cost, maxmem: 2 ** 27 }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}

interface EmbeddedPerson {
  client: string
  user_reference: string
  password_hash: string
  roles: string[]
  user_group: string | null
  /** Groups to which the person is confined; null: not confined. */
  groups: string[] | null
  description: string
  /** A verified address; null: none is verified. */
  email: string | null
  /** First name and surname; null: unknown. */
  display_name: string | null
}

/** The person of that client, or undefined. */
export function findPerson(
  db: Database,
  client: string,
  user_reference: string,
): Promise<EmbeddedPerson | undefined> {
  return db.global((q) =>
    q.row<EmbeddedPerson>('select * from oidc_people where client = $1 and user_reference = $2', [
      client,
      user_reference,
    ]),
  )
}

/** The demo users of the provider, with the name of their client. */
export async function listDemoCast(
  db: Database,
): Promise<(Pick<DemoPerson, 'client' | 'user_reference' | 'description'> & { client_name: string })[]> {
  const { rows } = await db.global((q) =>
    q.query<{ client: string; client_name: string; user_reference: string }>(
      `select p.client, c.client_name, p.user_reference from oidc_people p join clients c using (client)
       where c.oidc_issuer is null`,
    ),
  )
  return DEMO_CAST.flatMap(({ client, user_reference, description }) => {
    const known = rows.find((row) => row.client === client && row.user_reference === user_reference)
    return known ? [{ client, client_name: known.client_name, user_reference, description }] : []
  })
}

/** The published password of a demo user; undefined for other people. */
export const getDemoPassword = (client: string, user_reference: string): string | undefined =>
  DEMO_CAST.some((person) => person.client === client && person.user_reference === user_reference)
    ? `${user_reference}-demo`
    : undefined

type DemoPerson = Omit<EmbeddedPerson, 'password_hash' | 'user_group' | 'description' | 'email'> & {
  display_name: string
  user_group?: string
  /** Description of the person's permissions. */
  description: Phrase
}

/** The cast of the demo and of the tests (reading-the-spec: identity). Password: the name followed by `-demo`. */
export const DEMO_CAST: readonly DemoPerson[] = [
  {
    client: 'acme',
    user_reference: 'alice',
    display_name: 'Alice Carter',
    roles: ['Account Administrator', 'Compliance Manager'],
    groups: null,
    description: phrase(
      'All recordings of the company, its audit log, groups and roles',
      'Todas as gravações da empresa, a auditoria, os grupos e as funções',
    ),
  },
  {
    client: 'acme',
    user_reference: 'bob',
    display_name: 'Bob Singh',
    roles: ['Compliance Reviewer'],
    user_group: 'North',
    groups: ['North'],
    description: phrase(
      'Reviews recordings of the group North only',
      'Revisa somente gravações do grupo North',
    ),
  },
  {
    client: 'acme',
    user_reference: 'carol',
    display_name: 'Carol Mendes',
    roles: [],
    groups: null,
    description: phrase(
      'Nothing: has no role, and sees the contact for access',
      'Nada: não tem função e vê o contato para acesso',
    ),
  },
  {
    client: 'acme',
    user_reference: 'ines',
    display_name: 'Inês Prado',
    roles: ['Account Administrator', 'Compliance Manager'],
    groups: null,
    description: phrase(
      'The same as alice: the second person for dual control',
      'O mesmo que alice: a segunda pessoa da dupla aprovação',
    ),
  },
  {
    client: 'acme',
    user_reference: 'hugo',
    display_name: 'Hugo Lang',
    // This role does not exist yet: the person gets permissions when an administrator creates it.
    roles: ['Desk Reviewer'],
    groups: null,
    description: phrase(
      'Nothing yet: has the role Desk Reviewer, which alice can create',
      'Nada ainda: tem a função Desk Reviewer, que alice pode criar',
    ),
  },
  {
    client: 'globex',
    user_reference: 'gina',
    display_name: 'Gina Torres',
    roles: ['Compliance Reviewer'],
    groups: null,
    description: phrase('Reviews the recordings of another company', 'Revisa as gravações de outra empresa'),
  },
  {
    client: PROVIDER_CLIENT,
    user_reference: 'dave',
    display_name: 'Dave Okafor',
    roles: ['Provider Administrator', 'Account Administrator'],
    groups: null,
    description: phrase(
      'The provider’s administration: clients, licences, figures',
      'A administração do provedor: clientes, licenças, números',
    ),
  },
  {
    client: PROVIDER_CLIENT,
    user_reference: 'erin',
    display_name: 'Erin Walsh',
    roles: ['Provider Support'],
    groups: null,
    description: phrase(
      'The provider’s support: sees a company only after its approval',
      'O suporte do provedor: vê uma empresa somente após aprovação',
    ),
  },
]

/** Adds the demo cast to the embedded provider; existing people stay unchanged. */
export async function seedDemoPeople(db: Database): Promise<void> {
  for (const person of DEMO_CAST) {
    if (await findPerson(db, person.client, person.user_reference)) continue
    const password_hash = await hashPassword(`${person.user_reference}-demo`, PUBLIC_COST)
    await db.globalWrite((tx) =>
      tx.query(
        `insert into oidc_people (client, user_reference, password_hash, roles, user_group, groups, description, email, display_name)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
        [
          person.client,
          person.user_reference,
          password_hash,
          person.roles,
          person.user_group ?? null,
          person.groups,
          person.description['en-GB'],
          `${person.user_reference}@${person.client}.example`,
          person.display_name,
        ],
      ),
    )
  }
}
