import { type LoggedParameters, loggedList, getParameters } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { deviceNames, personNames } from '../device-records/names-store.ts'
import { findRecordings } from '../payload-records/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findLastMessages, findNames, type NamedReferences } from './names-store.ts'

/** An entry of either log. */
interface LoggedEntry {
  parameters: string
  /** The portal user; undefined for a client app, support staff or a device. */
  user?: string | undefined
  /** The request under which the provider's staff acted. */
  support_reference?: string | undefined
  device_reference?: string | undefined
  device_user_reference?: string | null | undefined
}

/** Names of an entry, by parameter. */
export type EntryNames = Record<string, string>

/** People named in a list. */
const LISTED = 3

interface Target {
  target_type: string
  target: string
}
const isTarget = (value: unknown): value is Target =>
  typeof value === 'object' && value !== null && 'target' in value && typeof value.target === 'string'

const textAt = (parameters: LoggedParameters, name: string): string | undefined => {
  const value = parameters[name]
  return typeof value === 'string' ? value : undefined
}

function getReferences({ parameters: text, ...caller }: LoggedEntry) {
  const parameters = getParameters(text)
  const at = (name: string) => textAt(parameters, name)
  const people = loggedList(parameters.people)
  return {
    who: caller.user,
    support_reference: caller.support_reference,
    device_reference: caller.device_reference ?? at('device_reference'),
    device_user_reference: caller.device_user_reference ?? at('device_user_reference'),
    user_reference: at('user_reference'),
    matter_id: at('matter_id'),
    matters: (loggedList(parameters.matters)?.items ?? []).filter((each) => typeof each === 'string'),
    webhook_reference: at('webhook_reference'),
    transfer_id: at('transfer_id'),
    data_request_id: at('data_request_id'),
    thread_id: at('thread_id'),
    target: isTarget(parameters) ? parameters : undefined,
    people: people && { items: people.items.filter(isTarget), count: people.count },
  }
}

type References = ReturnType<typeof getReferences>

const given = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
]

function collect(
  entries: readonly References[],
): NamedReferences & Record<'devices' | 'device_users', string[]> {
  const targets = entries.flatMap(({ target, people }) => [
    ...(target ? [target] : []),
    ...(people?.items.slice(0, LISTED) ?? []),
  ])
  const ofType = (type: string) =>
    targets.filter((each) => each.target_type === type).map(({ target }) => target)
  const all = <Name extends keyof References>(name: Name) => entries.map((entry) => entry[name])
  const threads = entries.flatMap(({ device_reference, thread_id }) =>
    device_reference === undefined || thread_id === undefined ? [] : [{ device_reference, thread_id }],
  )
  return {
    users: given([...all('who'), ...all('user_reference'), ...ofType('PortalUser')]),
    device_users: given([...all('device_user_reference'), ...ofType('DeviceUser')]),
    devices: given(all('device_reference')),
    requesters: given(all('support_reference')),
    matters: given([...all('matter_id'), ...all('matters').flat()]),
    webhooks: given(all('webhook_reference')),
    transfers: given(all('transfer_id')),
    data_requests: given(all('data_request_id')),
    threads: [...new Map(threads.map((each) => [threadKey(each), each])).values()],
  }
}

const threadKey = (thread: { device_reference: string; thread_id: string }) =>
  `${thread.device_reference} ${thread.thread_id}`

/** Whether the reader may see something of this group; null: no group counts. */
const mayName = (access: Access, action: string, group_id: number | null | undefined): boolean =>
  group_id === null || group_id === undefined ? access.may(action) : access.permits(action, { group_id })

/** Names of one kind that the reader may see; `ofPerson`: the permission for what has a group. */
async function namesIn(
  q: Queryable,
  access: Access,
  [kind, references]: readonly [Exclude<keyof NamedReferences, 'threads'>, readonly string[]],
  action: string,
  ofPerson = action,
): Promise<Map<string, string>> {
  if (!access.may(action)) return new Map()
  const found = await findNames(q, kind, references)
  return new Map(
    found.flatMap(({ reference, name, group_id }) =>
      name !== null && mayName(access, group_id === null ? action : ofPerson, group_id)
        ? [[reference, name]]
        : [],
    ),
  )
}

/** The other parties of conversations that the reader may read. */
async function threadNames(q: Queryable, access: Access, threads: NamedReferences['threads']) {
  const last = await findLastMessages(q, threads)
  const recordings = await findRecordings(
    q,
    last.map(({ payload_reference }) => payload_reference),
  )
  const byReference = new Map(recordings.map((each) => [each.payload_reference, each]))
  return new Map(
    last.flatMap(({ payload_reference, ...thread }) => {
      const message = byReference.get(payload_reference)
      if (!message || !access.permits('payloads:read', message)) return []
      const parties = (message.parties ?? []).map(
        ({ contact_name, phone_number }) => contact_name ?? phone_number,
      )
      const name = parties.filter(Boolean).slice(0, LISTED).join(', ')
      return name === '' ? [] : [[threadKey(thread), name]]
    }),
  )
}

/**
 * The names of callers and of what their parameters name, entry by entry. A caller is named to each reader of the
 * entry; everything else only to those who may see it.
 */
export async function getNames(
  q: Queryable,
  access: Access,
  action: string,
  entries: readonly LoggedEntry[],
): Promise<EntryNames[]> {
  const references = entries.map(getReferences)
  const asked = collect(references)
  const users = await namesIn(q, access, ['users', asked.users], action)
  const requesters = await namesIn(q, access, ['requesters', asked.requesters], action)
  const people = await personNames(q, access, asked.device_users)
  const devices = await deviceNames(q, access, asked.devices)
  const matters = await namesIn(q, access, ['matters', asked.matters], 'account.legal_matters:list')
  const webhooks = await namesIn(q, access, ['webhooks', asked.webhooks], 'account.webhooks:list')
  const transfers = await namesIn(q, access, ['transfers', asked.transfers], 'transfers:read')
  const forRequests = ['account.data_requests:read', 'users:read'] as const
  const requests = await namesIn(q, access, ['data_requests', asked.data_requests], ...forRequests)
  const threads = await threadNames(q, access, asked.threads)
  const maySeeUsers = access.may('people:list')
  const ofTarget = ({ target_type, target }: Target) =>
    target_type === 'DeviceUser' ? people.get(target) : maySeeUsers ? users.get(target) : undefined
  return references.map((each) => {
    const device = devices.get(each.device_reference ?? '')
    const listed = each.people?.items.slice(0, LISTED).map((one) => ofTarget(one) ?? one.target)
    const more = (each.people?.count ?? 0) > (listed?.length ?? 0) ? ' …' : ''
    const named: Record<string, string | undefined> = {
      who: each.who === undefined ? requesters.get(each.support_reference ?? '') : users.get(each.who),
      user_reference: maySeeUsers ? users.get(each.user_reference ?? '') : undefined,
      device_user_reference: people.get(each.device_user_reference ?? ''),
      device_reference: device?.name,
      holder: device?.holder,
      thread_id: threads.get(
        threadKey({ device_reference: each.device_reference ?? '', thread_id: each.thread_id ?? '' }),
      ),
      matter_id: matters.get(each.matter_id ?? ''),
      matters: each.matters.flatMap((one) => matters.get(one) ?? []).join(', ') || undefined,
      webhook_reference: webhooks.get(each.webhook_reference ?? ''),
      transfer_id: transfers.get(each.transfer_id ?? ''),
      data_request_id: requests.get(each.data_request_id ?? ''),
      target: each.target && ofTarget(each.target),
      people: listed && `${listed.join(', ')}${more}`,
    }
    return Object.fromEntries(Object.entries(named).filter(([, name]) => name !== undefined)) as EntryNames
  })
}
