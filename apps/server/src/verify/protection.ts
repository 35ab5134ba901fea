import { transitionRows } from '@custodia/domain'
import { STATE_CODES } from '../payload-records/codes.ts'
import { APP_ROLE, MATTERS_ROLE, STAFF_ROLE } from '../ports/database/pool.ts'
import type { Scope } from './checks.ts'

/** Tables with a client that must be readable before the tenant is known, or are shared by all. */
export const WITHOUT_TENANT: readonly string[] = [
  'client_keys',
  'client_shares',
  'client_tasks',
  'clients',
  'data_addresses',
  'device_tokens',
  'number_verifications',
  'portal_sessions',
]

const TENANT = `(client_id = (NULLIF(current_setting('custodia.client_id'::text, true), ''::text))::integer)`

/** Evidence: the application adds to it and never changes or removes it. */
const ONLY_ADDED = [
  'backups',
  'payload_write_offs',
  'data_request_copies',
  'destruction_certificate_files',
  'destruction_certificates',
  'destruction_ends',
  'destruction_ledger',
  'destruction_review_versions',
  'enrolment_uses',
  'legal_hold_events',
  'payload_envelopes',
  'payload_history',
  'payload_reassignments',
  'payload_receipts',
  'payload_audit',
  'payload_comment_versions',
  'portal_people',
  'retention_policies',
  'rights_versions',
  'sealed_batches',
  'sealed_checkpoints',
  'sealed_nodes',
  'terms_acceptances',
  'dual_control_versions',
  'verify_runs',
]
/** Columns of some may be updated; no row is ever removed. */
const NEVER_REMOVED = [
  ...ONLY_ADDED,
  'destruction_list_items',
  'destruction_lists',
  'destruction_runs',
  'destruction_runs_certified',
  'device_reassignments',
  'legal_holds',
  'legal_hold_reasons',
  'legal_matters',
  'legal_matter_people',
  'data_requests',
  'proposals',
  'identity_changes',
  'device_numbers',
  'enrolments',
  'payload_comments',
  'payload_marks',
  'payload_plays',
  'payloads',
  'clients',
  'client_keys',
  'support_access',
  'device_commands',
  'capture_gaps',
  'gps_keys',
  'report_keys',
  'portal_activities',
  'device_activities',
  'sealed_contradictions',
  'sealed_holders',
]

/** What the provider's staff may read across clients, and of most only some columns. Nothing of it is content. */
export const STAFF_READS: readonly string[] = [
  'alert_address_checks',
  'alert_deliveries',
  'alert_dismissals',
  'alerts',
  'carrier_sightings',
  'client_licenses',
  'clients',
  'destruction_intents',
  'device_users',
  'devices',
  'identity_changes',
  'payload_work',
  'statistics',
  'support_access',
  'telemetry_latest',
  'verify_runs',
]

/** Foreign keys by which a row belongs to a payload, group, device or person of its own client. */
const BELONGS: readonly (readonly [to: string, from: readonly string[]])[] = [
  ['groups', ['payloads', 'devices', 'device_users', 'device_commands', 'capture_gaps']],
  ['devices', ['payloads', 'device_history', 'device_numbers', 'device_commands', 'enrolment_uses']],
  ['device_users', ['payloads', 'devices', 'legal_holds', 'data_requests', 'capture_gaps', 'enrolments']],
  [
    'payloads',
    [
      'payload_work',
      'payload_envelopes',
      'payload_documents',
      'payload_objects',
      'payload_reassignments',
      'payload_receipts',
      'payload_copies',
      'message_firsts',
      'payload_comments',
      'payload_marks',
      'payload_playheads',
      'payload_plays',
      'destruction_ledger',
    ],
  ],
  ['legal_holds', ['legal_hold_events', 'legal_matter_people']],
  ['data_exports', ['data_export_parts']],
]

/** Triggers by their name, the tables where they must fire, and what is missing without them. */
const TRIGGERS: readonly (readonly [name: string, tables: readonly string[], detail: string])[] = [
  ['payload_transition', ['payloads'], 'the trigger that holds transitions to their table'],
  ['payload_ledger', ['payloads'], 'the trigger that asks for the ledger before destruction'],
  ['destruction_is_noted', ['destruction_intents'], 'the trigger that requires the ledger in the keystore'],
  ['device_commands_transition', ['device_commands'], 'the trigger that holds transitions to their table'],
  [
    'kept',
    [
      'data_requests',
      'data_request_copies',
      'destruction_ends',
      'destruction_ledger',
      'dual_control_versions',
      'identity_changes',
      'legal_holds',
      'legal_hold_events',
      'legal_hold_reasons',
      'legal_matters',
      'legal_matter_people',
      'proposals',
      'retention_policies',
    ],
    'the trigger that keeps its history',
  ],
  [
    'rights_kept',
    [
      'account_defaults',
      'client_apps',
      'clients',
      'group_tags',
      'groups',
      'oidc_people',
      'portal_sessions',
      'role_assignments',
      'roles',
      'support_access',
    ],
    'the trigger that keeps versions of rights',
  ],
]

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')

/** Statements that return missing safeguards. */
const SAFEGUARDS: readonly string[] = [
  `select c.relname as subject, 'row-level security is not forced' as detail
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname not in (${quoted(WITHOUT_TENANT)}, 'verify_runs') and not (c.relrowsecurity and c.relforcerowsecurity)`,
  `select c.relname, 'no policy keeps tenants apart'
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname not in (${quoted(WITHOUT_TENANT)}) and not exists (
       select from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname and p.policyname = 'tenant' and p.cmd = 'ALL'
         and p.roles = '{public}' and p.qual = $q$${TENANT}$q$ and p.with_check is null)`,
  // Permissive policies add up: any further one may let a foreign tenant in.
  `select tablename, 'policy ' || policyname || ' is not one of ours'
   from pg_policies where schemaname = 'public' and policyname <> 'tenant'
     and not (policyname = 'append' and cmd = 'INSERT' and tablename in ('portal_activities', 'device_activities', 'rights_versions'))
     and not (policyname = 'matters' and permissive = 'RESTRICTIVE' and roles = '{${MATTERS_ROLE}}')
     and not (policyname = 'staff' and cmd = 'SELECT' and roles = '{${STAFF_ROLE}}'
       and tablename in (${quoted(STAFF_READS)}))`,
  `select c.relname, 'no policy limits it to recordings of legal matters'
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'payload_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and not exists (select from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname and p.policyname = 'matters'
       and p.permissive = 'RESTRICTIVE' and p.cmd = 'ALL')`,
  `select rolname, 'may get round row-level security' from pg_roles
   where rolname in ('${APP_ROLE}', '${STAFF_ROLE}', '${MATTERS_ROLE}') and (rolsuper or rolbypassrls or rolcreaterole)`,
  `select name, '${APP_ROLE} may change evidence' from unnest(array[${quoted(ONLY_ADDED)}]) name
   where has_any_column_privilege('${APP_ROLE}', name, 'update')`,
  `select name, '${APP_ROLE} may remove evidence' from unnest(array[${quoted(NEVER_REMOVED)}]) name
   where has_table_privilege('${APP_ROLE}', name, 'delete') or has_table_privilege('${APP_ROLE}', name, 'truncate')`,
  `select t.name, t.detail || ' does not fire' from (values ${TRIGGERS.flatMap(([trigger, tables, detail]) =>
    tables.map((table) => `('${table}', '${trigger}', '${detail}')`),
  ).join(', ')}) t (name, trigger, detail)
   where not exists (select from pg_trigger where tgrelid = t.name::regclass and tgname = t.trigger and tgenabled in ('O', 'A'))`,
  `select c.relname, 'constraint ' || n.conname || ' was never validated'
   from pg_constraint n join pg_class c on c.oid = n.conrelid
   where n.connamespace = 'public'::regnamespace and not n.convalidated`,
  `select c.relname, 'index ' || x.relname || ' is not valid' from pg_index i join pg_class c on c.oid = i.indrelid
   join pg_class x on x.oid = i.indexrelid where c.relnamespace = 'public'::regnamespace and not i.indisvalid`,
  `select c.relname, 'no primary key' from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  `select 'payloads', 'nothing keeps references apart' where not exists (
     select from pg_constraint where conrelid = 'payloads'::regclass and contype = 'u'
       and pg_get_constraintdef(oid) = 'UNIQUE (client_id, payload_reference)')`,
  // These hold what no check of rows repeats.
  `select k.name, 'no foreign key to ' || k.target from (values ${BELONGS.flatMap(([to, from]) =>
    from.map((table) => `('${table}', '${to}')`),
  ).join(', ')}) k (name, target)
   where not exists (select from pg_constraint n where n.conrelid = k.name::regclass and n.contype = 'f' and n.confrelid = k.target::regclass
     and cardinality(n.conkey) > 1)`,
  `select 'payload_transitions', 'other transitions than the domain has: ' || count(*) from (
     (select from_state, to_state from payload_transitions except select * from (values ${transitions()}) t)
     union all
     (select * from (values ${transitions()}) t except select from_state, to_state from payload_transitions)) x having count(*) > 0`,
]

function transitions(): string {
  return transitionRows()
    .flatMap(({ from_state, to_state }) =>
      from_state === null
        ? []
        : [`(${STATE_CODES[from_state]}::smallint, ${STATE_CODES[to_state]}::smallint)`],
    )
    .join(', ')
}

/** Reports safeguards of the migrations that are missing. */
export async function verifyProtection({ session, findings }: Scope): Promise<void> {
  for (const sql of SAFEGUARDS)
    findings.add(
      'protection_missing',
      null,
      await session.rows<{ subject: string; detail: string }>(
        `select * from (${sql}) as x (subject, detail)`,
      ),
    )
}
