import type { Endpoint } from '@custodia/contract'
import { type CallName, getKey } from './call-keys.ts'
import { queryClient } from './query-client.ts'

/**
 * For each call of a table that may change data: the answers that it makes stale. A record that is open for editing
 * is absent: it must not change during the edit.
 */
export type StaleAfter<T extends Readonly<Record<string, Endpoint>>> = {
  readonly [
    Name in keyof T as T[Name] extends { method: 'GET' } | { bytes: string } ? never : Name
  ]: readonly CallName[]
}

const ACCESS = ['readPersonAccess', 'listPayloadAccess', 'readAccessReport'] as const
/** A change of rights may affect the signed-in user, hence the profile. */
export const RIGHTS = ['listGroups', 'listRoles', 'listTags', 'readProfile', ...ACCESS] as const
export const PEOPLE = ['listPeople', 'readPerson', ...ACCESS] as const
export const PROPOSALS = ['listProposals', 'readProposal', 'readTwoPeople'] as const
export const ALERTS = ['listAlerts', 'readAlert', 'readAlertSummary'] as const
export const DEVICES = [
  'listDevices',
  'readDevice',
  'listDevicesOfUser',
  'readDashboard',
  'readLicenses',
] as const
export const DEVICE_USERS = [
  'listDeviceUsers',
  'readDeviceUser',
  'readUserQueue',
  'listGroups',
  ...DEVICES,
] as const
export const COMMANDS = ['listCommands', 'listCommandsOfDevice'] as const
export const ENROLMENTS = ['listEnrolments', 'readEnrolment'] as const
export const PAYLOADS = [
  'countPayloads',
  'listPayloads',
  'listPayloadsOfDevice',
  'listPayloadsOfUser',
  'readContacts',
  'readPayload',
  'readPayloadAudit',
  'searchPayloads',
] as const

/** Refetches, after each successful call, the answers that it made stale. */
export const refetchAfter =
  (stale: Readonly<Record<string, readonly CallName[]>>) =>
  (call: string): void => {
    for (const each of stale[call] ?? []) readAgain(each)
  }

/** Refetches the answers of a call; with `question` only that one. */
export const readAgain = (call: CallName, ...asked: readonly unknown[]): void =>
  void queryClient.invalidateQueries({ queryKey: getKey(call, ...asked) })
