import { type DeviceUserInput, fault } from '@custodia/contract'
import type { PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { findNamesakes, findTaken, insertUsers } from './add-store.ts'
import { byOf, groupWithinReach, type Licenses, overLicensed, savedOf } from './saved.ts'
import { insertUserWords, type Saved } from './store.ts'

/** Somebody who is to be onboarded. */
export interface NewUser {
  device_user_reference: string
  body: DeviceUserInput
}

/**
 * Adds people and onboards them, in as many statements for five hundred as for one. Answers for each why they were not added: already_exists,
 * invalid_input, license_exceeded; nothing of those stays.
 *
 * @param licenses as they are now: somebody new has no phone, and uses none
 */
export async function addUsers(
  context: PortalContext,
  tx: Tx,
  users: readonly NewUser[],
  licenses: Licenses,
): Promise<(Problem | undefined)[]> {
  const references = users.map(({ device_user_reference }) => device_user_reference)
  const taken = await findTaken(tx, references)
  const addresses = await takenAddresses(tx, users)
  const groups = new Map<string, Awaited<ReturnType<typeof groupOf>>>()
  const added: (Saved & { device_user_reference: string })[] = []
  const problems: (Problem | undefined)[] = []
  for (const { device_user_reference, body } of users) {
    const group = groups.get(body.group) ?? (await groupOf(context, tx, body.group))
    groups.set(body.group, group)
    const address = body.is_active ? body.email?.toLowerCase() : undefined
    const holder = address === undefined ? undefined : addresses.get(address)
    const problem =
      group instanceof Problem
        ? group
        : holder !== undefined && holder !== device_user_reference
          ? new Problem('invalid_input', { faults: [fault('email', 'email_taken')] })
          : taken.has(device_user_reference)
            ? new Problem('already_exists')
            : body.is_active
              ? overLicensed(body.services, licenses)
              : undefined
    problems.push(problem)
    if (problem || group instanceof Problem) continue
    if (address !== undefined) addresses.set(address, device_user_reference)
    added.push({ ...savedOf(body, group, context.now), device_user_reference })
  }
  const made = await insertUsers(tx, added, byOf(context))
  const ids = new Map(made.map((each) => [each.device_user_reference, each.device_user_id]))
  const named = added.flatMap((user) => {
    const device_user_id = ids.get(user.device_user_reference)
    return device_user_id === undefined ? [] : [{ ...user, device_user_id }]
  })
  await insertUserWords(tx, named)
  return problems.map(
    (problem, i) => problem ?? (ids.has(references[i] ?? '') ? undefined : new Problem('already_exists')),
  )
}

/** A group within reach; the problem where there is none of that name. */
const groupOf = (context: PortalContext, tx: Tx, group_reference: string) =>
  groupWithinReach(context, tx, 'users:create', group_reference).catch((error: unknown) => {
    if (error instanceof Problem) return error
    throw error
  })

/** Whose the addresses are that these people bring, in lower case. */
async function takenAddresses(tx: Tx, users: readonly NewUser[]): Promise<Map<string, string>> {
  const emails = users.flatMap(({ body }) => (body.is_active && body.email !== null ? [body.email] : []))
  const namesakes = emails.length > 0 ? await findNamesakes(tx, emails) : []
  return new Map(namesakes.map(({ email, device_user_reference }) => [email, device_user_reference]))
}
