import {
  type ClientAccount,
  DEVICE_SERVICES,
  type LicenseLimits,
  NewClient,
  PersonReference,
  PROVIDER_CLIENT,
} from '@custodia/contract'
import {
  type Client,
  getClient,
  getCustomer,
  findClient,
  findProvider,
  pageOfAccounts,
  readAccount,
  writeFirstAdministrator,
} from '../clients/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { OPERATOR } from '../http/context.ts'
import { forEachService } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { createClient, prepareAccount } from '../tenants/create.ts'
import { countKept, findDeletionCertificate } from '../tenants/deletion-store.ts'
import { resume, suspend, withdrawDeletion } from '../tenants/jobs.ts'
import { defineCommand, exactly, EXIT, required, UsageError } from './command.ts'
import {
  checked,
  getClaimMapping,
  IDENTITY_OPTIONS,
  IDENTITY_USAGE,
  getIdentity,
  type Installation,
  signInAddress,
  withInstallation,
} from './installation.ts'

/** Clients that are read at a time. */
const PAGE = 500

/** `custodia tenant`: the clients of the installation, as the provider's administrators have them in the portal. */
export const tenant = defineCommand({
  usage: `custodia tenant create <client> --name=<name> --administrator=<user reference> [--licences=<limits>]
    [--issuer=<address> --client-id=<id> [--client-secret-file=<file>] [--device-client-id=<id>]]
    [--claims=<preset or file>] [--json]
custodia tenant list [--json]
custodia tenant show <client> [--json]
custodia tenant administrator <client> --administrator=<user reference> [--json]
custodia tenant suspend <client> --reason=<3 to 500 characters> [--json]
custodia tenant resume <client> [--json]
custodia tenant delete <client> [--withdraw] [--json]
custodia tenant certificate <client>

create makes a client and prints its account key and the enrolment of a first device, once. administrator names
another first administrator, also of the provider's own account (admin). suspend ends the sessions of the client and
refuses sign-ins until it is resumed; devices go on to deliver.
delete shows what is still kept of a client and how its deletion stands. Two people of the provider, signed in to the portal, delete it
under Clients; no command takes the place of either. --withdraw takes their proposal back. certificate prints the certificate of a deleted client. Every change stands in the logs of the client and of the provider.

  --administrator       who administers the account first: as the claim of the person names them (with entra an e-mail address); without --claims
                        that is user_reference, else sub
  --licences            devices per service: 100 for each, or calls=100,messages=50; without it none
${IDENTITY_USAGE}
  --json                prints the result as JSON`,
  options: {
    name: { type: 'string' },
    administrator: { type: 'string' },
    licences: { type: 'string' },
    reason: { type: 'string' },
    withdraw: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    ...IDENTITY_OPTIONS,
  },
  async run({ json, ...values }, [what, ...positionals]) {
    const act = what !== undefined && Object.hasOwn(ACTS, what) ? ACTS[what as keyof typeof ACTS] : undefined
    if (!act)
      throw new UsageError('create, list, show, administrator, suspend, resume, delete or certificate?')
    const [client = ''] = exactly(what === 'list' ? 0 : 1, positionals)
    return withInstallation(async (installation) => {
      const { result, text } = await act(installation, client, values)
      console.log(json ? JSON.stringify(result, null, 2) : text)
      return EXIT.done
    })
  },
})

type Values = Parameters<typeof getIdentity>[1] & {
  claims?: string | undefined
  name?: string | undefined
  administrator?: string | undefined
  licences?: string | undefined
  reason?: string | undefined
  withdraw?: boolean | undefined
}
/** What a command answers: as JSON, and as text. */
interface Result {
  result: unknown
  text: string
}

const ACTS = {
  create,
  list: async ({ db }: Installation): Promise<Result> => {
    const accounts: ClientAccount[] = []
    for (let after = ''; ;) {
      const page = await pageOfAccounts(db, { search: '', with_provider: false }, after, PAGE)
      accounts.push(...page)
      if (page.length < PAGE) break
      after = page.at(-1)?.client ?? ''
    }
    const lines = accounts.map(
      ({ client, client_name, devices, suspended_at }) =>
        `${client}\t${client_name}\t${devices} devices\t${suspended_at === null ? 'active' : 'suspended'}`,
    )
    return { result: accounts, text: lines.join('\n') }
  },
  show: async (installation: Installation, client: string): Promise<Result> =>
    shown(installation, await getClient(installation, client)),
  administrator: async (installation: Installation, client: string, values: Values): Promise<Result> => {
    const first_administrator = checked(PersonReference, required(values.administrator, 'administrator'))
    const found = await getClient(installation, client)
    await change(installation, found, 'operator:first_administrator', { first_administrator }, (tx) =>
      writeFirstAdministrator(tx, first_administrator),
    )
    return shown(installation, found)
  },
  suspend: async (installation: Installation, client: string, values: Values): Promise<Result> => {
    const reason = required(values.reason, 'reason').trim()
    if (reason.length < 3 || reason.length > 500) throw new UsageError('--reason: 3 to 500 characters')
    const found = await getCustomer(installation, client)
    await change(installation, found, 'internal.clients:suspend', { reason }, (tx) =>
      suspend(tx, { at: installation.now(), by: OPERATOR, reason }),
    )
    return shown(installation, found)
  },
  resume: async (installation: Installation, client: string): Promise<Result> => {
    const found = await getCustomer(installation, client)
    await change(installation, found, 'internal.clients:resume', {}, resume)
    return shown(installation, found)
  },
  delete: async (installation: Installation, client: string, values: Values): Promise<Result> => {
    const found = await getCustomer(installation, client)
    if (values.withdraw)
      await change(installation, found, 'internal.clients:delete', { withdraw: true }, withdrawDeletion)
    return shownDeletion(installation, found)
  },
  certificate: async ({ db }: Installation, client: string): Promise<Result> => {
    const found = await findClient(db, client)
    const text = found && (await db.read(found.client_id, findDeletionCertificate))
    if (text === undefined) throw new Error(`There is no deleted client ${client}.`)
    return { result: JSON.parse(text), text }
  },
}

async function create(installation: Installation, client: string, values: Values): Promise<Result> {
  const { config, db, now } = installation
  const { limits, ...account } = checked(NewClient, {
    client,
    client_name: required(values.name, 'name'),
    first_administrator: required(values.administrator, 'administrator'),
    limits: getLimits(values.licences),
    identity: await getIdentity(config, values),
    claim_mapping: await getClaimMapping(values.claims),
  })
  if ((await findProvider(db)) === undefined) throw new Error('There is no provider yet: custodia bootstrap')
  if (await findClient(db, client))
    throw new Error(`There is a client ${client} already. Nothing was changed.`)
  const prepared = await prepareAccount(installation, account, { is_provider: false })
  const { client_name, first_administrator, oidc_issuer, oidc_client_id, claim_mapping } = prepared.row
  const secrets = await change(
    installation,
    prepared.row,
    'internal.clients:create',
    { client_name, first_administrator, limits, oidc_issuer, oidc_client_id, claim_mapping },
    (tx) => createClient(installation, tx, prepared, { limits, now: now(), by: OPERATOR }),
  )
  const sign_in_url = signInAddress(config, client)
  return {
    result: { client, sign_in_url, ...secrets },
    text: `The client ${client} was made. ${first_administrator} signs in at ${sign_in_url}

These secrets are not shown again.
Account key: ${secrets.account_key}
Enrolment of the first device: ${secrets.enrolment}`,
  }
}

/** A change of a client, with its entry in the logs of the client and of the provider. */
function change<T>(
  { db, audit, now }: Installation,
  { client_id, client }: Pick<Client, 'client_id' | 'client'>,
  action: string,
  facts: object,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return db.write(client_id, async (tx) => {
    const done = await work(tx)
    const provider = await findProvider(db)
    for (const owner of new Set([client_id, provider ?? client_id]))
      await audit.appendWithin(
        tx,
        systemEntry({ client_id: owner }, { at: now(), by: OPERATOR }, action, { client, ...facts }),
      )
    return done
  })
}

async function shown({ db, config }: Installation, { client_id, client }: Client): Promise<Result> {
  const account = await readAccount(db, client_id)
  if (!account) throw new Error('the client is gone')
  const { client_name, oidc_issuer, first_administrator, suspended_at, suspended_by, suspended_reason } =
    account
  const { deletion_proposed_by } = account
  const state =
    suspended_at === null
      ? 'active'
      : `suspended since ${new Date(suspended_at * 1000).toISOString()} by ${suspended_by}: ${suspended_reason}`
  const deletion =
    deletion_proposed_by === null
      ? ''
      : `\nDeletion:            proposed by ${deletion_proposed_by}; another person of the provider confirms it in the portal`
  return {
    result: account,
    text: `${client}: ${client_name}
State:               ${state}${deletion}
Sign-in:             ${signInAddress(config, client)}
Identity provider:   ${oidc_issuer ?? 'of the installation'}
First administrator: ${first_administrator ?? 'none'}
Devices:             ${account.devices}, of ${account.device_users} device users`,
  }
}

/** Describes a client's remaining data and the state of its deletion. */
async function shownDeletion(installation: Installation, found: Client): Promise<Result> {
  const { db, config } = installation
  const { destroyed_payloads: _destroyed, ...kept } = await db.read(found.client_id, countKept)
  const account = await readAccount(db, found.client_id)
  const by = account?.deletion_proposed_by ?? null
  const counts = Object.entries(kept).map(([name, count]) => `${name.replaceAll('_', ' ')} (${count})`)
  return {
    result: { client: found.client, is_suspended: found.suspended_at !== null, kept, proposed_by: by },
    text: `${found.client}: ${found.suspended_at === null ? 'active; suspend it first' : 'suspended'}
Still kept: ${counts.join(', ')}
Proposed by: ${by ?? 'no person yet'}
Two people of the provider delete it in the portal, under Clients: ${signInAddress(config, PROVIDER_CLIENT)}`,
  }
}

/** `100`, or `calls=100,messages=50`. */
function getLimits(text = ''): LicenseLimits {
  const numbers = new Map<string, number>()
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [, service = '', count = ''] = /^(?:([a-z]+)=)?(\d+)$/.exec(part) ?? []
    if (count === '' || (service !== '' && !DEVICE_SERVICES.some((each) => each === service)))
      throw new UsageError(`--licences: ${part} is no limit; services are ${DEVICE_SERVICES.join(', ')}`)
    numbers.set(service, Number(count))
  }
  return forEachService((service) => numbers.get(service) ?? numbers.get('') ?? 0)
}
