import type { RoleRules } from '../access/compile-role.ts'

/**
 * What staff of the provider never do inside a client, whatever role was approved. Compiled and evaluated together
 * with the approved role: `[approved, SUPPORT_MODE_DENIALS]`; a deny wins over every role. Reading stays as the approved role says.
 */
export const SUPPORT_MODE_DENIALS: RoleRules = {
  role_reference: 'Support mode',
  permissions: [
    {
      is_denied: true,
      actions_matching: [
        // Deciding about their own access, or widening anybody's.
        'supportaccess:*',
        'supportaccess.*',
        'access:*',
        'access.*',
        // Rights: who may do what, to which groups, from where.
        ...writesOf('roles', 'groups', 'tags', 'account.defaults', 'account.apps'),
        // Evidence: how long it stays, what holds it, who received it.
        ...writesOf('account.retention', 'account.legal_holds', 'account.legal_matters'),
        // What somebody asked, and of whom: between them and the client.
        'account.data_requests:*',
        'account.proposals:update',
        'account.two_people:update',
        'account.destructions:update',
        'receipts:*',
        'payloads:abandon',
        'migrations:sign',
        // Whose evidence it is.
        'devices.holder:confirm',
        'devices.holder:decide',
        // What lets phones into the account.
        'devices.enrolments:create',
        'users.enrolments:create',
        // What only a person does for themselves, and the alerts that watch over support.
        'profile.*',
        'session:*',
        'alerts:clear',
      ],
    },
  ],
  payload_types: [],
  cidr_ranges: [],
  alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: false,
}

/** Every verb but `list`, `read` and `review`; a test holds this against the endpoint table. */
function writesOf(...nouns: string[]): string[] {
  const verbs = ['create', 'update', 'delete', 'test']
  return nouns.flatMap((noun) => verbs.map((verb) => `${noun}:${verb}`))
}
