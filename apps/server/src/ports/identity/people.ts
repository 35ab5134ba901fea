import { PROVIDER_CLIENT } from '@custodia/contract'
import type { Database } from '../database/pool.ts'
import { hashPassword } from './passwords.ts'

/** Somebody whom the embedded provider knows. */
export interface EmbeddedPerson {
  client: string
  user_reference: string
  password_hash: string
  roles: string[]
  user_group: string | null
  /** Groups to which the person is confined; null: not confined. */
  groups: string[] | null
  description: string
}

/** The person of that client, or undefined. */
export async function findPerson(
  db: Database,
  client: string,
  user_reference: string,
): Promise<EmbeddedPerson | undefined> {
  const { rows } = await db.global((q) =>
    q.query<EmbeddedPerson>('select * from oidc_people where client = $1 and user_reference = $2', [
      client,
      user_reference,
    ]),
  )
  return rows[0]
}

/** The people of one client, as the sign-in page of a demo installation offers them. */
export async function listPeople(
  db: Database,
  client: string,
): Promise<Pick<EmbeddedPerson, 'user_reference' | 'description'>[]> {
  const { rows } = await db.global((q) =>
    q.query<EmbeddedPerson>(
      `select user_reference, description from oidc_people where client = $1 order by user_reference collate "C"`,
      [client],
    ),
  )
  return rows.map(({ user_reference, description }) => ({ user_reference, description }))
}

type DemoPerson = Omit<EmbeddedPerson, 'password_hash' | 'user_group'> & { user_group?: string }

/** The cast of the demo and of the tests (reading-the-spec: identity). Password: the name followed by `-demo`. */
export const DEMO_CAST: readonly DemoPerson[] = [
  {
    client: 'acme',
    user_reference: 'alice',
    roles: ['Account Administrator', 'Compliance Manager'],
    groups: null,
    description: 'Administers the account and reviews all recordings',
  },
  {
    client: 'acme',
    user_reference: 'bob',
    roles: ['Compliance Reviewer'],
    user_group: 'North',
    groups: ['North'],
    description: 'Reviews recordings of the group North only',
  },
  {
    client: 'acme',
    user_reference: 'carol',
    roles: [],
    groups: null,
    description: 'Has no role and may see nothing',
  },
  {
    client: 'acme',
    user_reference: 'hugo',
    // Nobody has made it: shows what a role does from the moment on in which an administrator saves it.
    roles: ['Desk Reviewer'],
    groups: null,
    description: 'Holds the role Desk Reviewer, once somebody makes it',
  },
  {
    client: 'globex',
    user_reference: 'gina',
    roles: ['Compliance Reviewer'],
    groups: null,
    description: 'Reviews recordings of another client',
  },
  {
    client: PROVIDER_CLIENT,
    user_reference: 'dave',
    roles: ['Provider Administrator', 'Account Administrator'],
    groups: null,
    description: 'Administers the installation for the provider',
  },
  {
    client: PROVIDER_CLIENT,
    user_reference: 'erin',
    roles: ['Provider Support'],
    groups: null,
    description: 'Gives support for the provider',
  },
]

/** Makes the demo cast known to the embedded provider; people who are there already stay as they are. */
export async function seedDemoPeople(db: Database): Promise<void> {
  for (const person of DEMO_CAST) {
    if (await findPerson(db, person.client, person.user_reference)) continue
    const password_hash = await hashPassword(`${person.user_reference}-demo`)
    await db.globalWrite((tx) =>
      tx.query(
        `insert into oidc_people (client, user_reference, password_hash, roles, user_group, groups, description)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
        [
          person.client,
          person.user_reference,
          password_hash,
          person.roles,
          person.user_group ?? null,
          person.groups,
          person.description,
        ],
      ),
    )
  }
}
