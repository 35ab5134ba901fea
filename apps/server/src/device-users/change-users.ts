import {
  type Answer,
  type Api,
  DEVICE_SERVICES,
  type DeviceUserInput,
  FILTER_LIMIT,
  type HandlerInput,
  type UserChange,
} from '@custodia/contract'
import { withOwnerNames } from '../device-records/names-store.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import type { Problem } from '../http/problem.ts'
import { rehearse, type Tx } from '../ports/database/lease.ts'
import { getInput, isSame, saveUsers, type UserToSave } from './save-users.ts'
import { type DeviceUserRecord, findUsers, lockUsers, getUserFilter } from './store.ts'

type Input = Pick<HandlerInput<Api['changeDeviceUsers']>, 'query' | 'body'>
type ChangeAnswer = Answer<Api['changeDeviceUsers']>
type Outcome = Omit<ChangeAnswer['data'][number], 'device_user_reference' | 'person_name'>

/** Changes each of these device users, or each one that matches the filter, as far as the caller may. */
export const changeDeviceUsers: Handler<'changeDeviceUsers'> = (context, input) =>
  context.write(async (tx) => {
    const changed = await changeUsers(context, tx, input)
    const { change } = input.body.order
    const users = changed.data.filter(({ status }) => status === 'Ok').length
    context.noteFacts({ users, change })
    return changed
  })

/** Previews the change and rolls it back. */
export const reviewDeviceUserChanges: Handler<'reviewDeviceUserChanges'> = (context, input) =>
  context.write((tx) => rehearse(tx, () => changeUsers(context, tx, input)))

async function changeUsers(
  context: PortalContext,
  tx: Tx,
  { query: { client: _client, ...filters }, body: { order, device_user_references } }: Input,
): Promise<ChangeAnswer> {
  const { access } = context.caller
  const found = device_user_references
    ? await findUsers(tx, device_user_references, true)
    : await lockUsers(tx, getUserFilter(access, filters), FILTER_LIMIT + 1)
  const users = new Map(found.slice(0, FILTER_LIMIT).map((user) => [user.device_user_reference, user]))
  const saves: UserToSave[] = []
  for (const [device_user_reference, known] of users)
    if (access.permits('users:update', known)) {
      const body = changedBy(order, known)
      if (!isSame(known, body)) saves.push({ device_user_reference, body, known })
    }
  const problems = await saveUsers(context, tx, saves)
  const saved = new Map(
    saves.map(({ device_user_reference }, i) => [device_user_reference, getOutcome(problems[i])]),
  )
  const data = (device_user_references ?? [...users.keys()]).map((device_user_reference) => ({
    device_user_reference,
    ...(saved.get(device_user_reference) ?? unsaved(access, users.get(device_user_reference))),
  }))
  return { data: await withOwnerNames(tx, access, data), is_cut: found.length > users.size }
}

function getOutcome(problem: Problem | undefined): Outcome {
  if (problem === undefined) return { status: 'Ok', faults: [] }
  const { code, faults } = problem
  return { status: 'Refused', ...(faults.length === 0 && { problem: code }), faults: [...faults] }
}

/** Outcome for a user who was not saved. */
function unsaved(
  { permits }: PortalContext['caller']['access'],
  user: DeviceUserRecord | undefined,
): Outcome {
  if (user && permits('users:update', user)) return { status: 'Unchanged', faults: [] }
  const isListed = user !== undefined && permits('users:list', user)
  return { status: isListed ? 'NotPermitted' : 'NoMatchingRecord', faults: [] }
}

/** Input that saves a user with the change. */
function changedBy(order: UserChange, known: DeviceUserRecord): DeviceUserInput {
  const input = getInput(known)
  switch (order.change) {
    case 'move':
      return { ...input, group: order.group }
    case 'add_services':
      return {
        ...input,
        services: DEVICE_SERVICES.filter(
          (each) => known.services.includes(each) || order.services.includes(each),
        ),
      }
    case 'remove_services':
      return { ...input, services: known.services.filter((each) => !order.services.includes(each)) }
    case 'offboard':
      return { ...input, is_active: false }
    case 'onboard':
      return { ...input, is_active: true }
  }
}
