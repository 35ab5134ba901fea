import type { AppContext } from '../../app-context.ts'
import { SERVICE_CODES, STATE_CODES, TYPE_CODES } from '../../payload-records/codes.ts'
import { sealFirst } from '../../payloads/comment-body.ts'
import type { Database } from '../../ports/database/pool.ts'
import { roleInput } from '../../testing/access-fixture.ts'
import { sealAll } from '../../testing/seal-all.ts'
import {
  TELEMETRY_ID,
  REFERENCES,
  DELIVERY_REFERENCE,
  SESSION_ID,
  APPROVALS,
  ulid,
} from './references.test-support.ts'

/**
 * Makes every target. PostgreSQL keeps the plans of a function, which saves half the time of the many restorations;
 * without triggers, they take half of the rest, and pass the trigger that keeps an ended request ended.
 */
export async function makeTargets(db: Database, now: number): Promise<void> {
  await db.owner.query(
    `create function restore_targets() returns void language plpgsql as $$ begin ${restoring(now)}; end $$`,
  )
  await restoreTargets(db)
  await db.owner.query('alter function restore_targets() set session_replication_role = replica')
}

/** Restores every target after calls that changed or deleted some. Safe to repeat. */
export async function restoreTargets(db: Database): Promise<void> {
  await db.owner.query('select restore_targets()')
}

/** Says something about every payload that calls aim at. Once, after `makeTargets`: `sealFirst` needs keys. */
export async function commentOnTargets({ db, keys }: Pick<AppContext, 'db' | 'keys'>): Promise<void> {
  const references = Object.values(REFERENCES.payload_reference ?? {})
  const { rows } = await db.owner.query<{ client: string; payload_reference: string }>(
    'select client, payload_reference from payloads join clients using (client_id) where payload_reference = any($1)',
    [references],
  )
  for (const { client, payload_reference } of rows) {
    const version = { comment_id: payload_reference, comment_version: 1, by: 'matrix' }
    const place = { client, payload_reference, ...version }
    const { wrapped_key, sealed_body } = await sealFirst({ keys }, place, 'Said before')
    await db.owner.query(
      `with raised as (
         insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by, wrapped_key)
         select client_id, $1, payload_id, group_id, type, 1700000000, 'matrix', $2 from payloads where payload_reference = $1
         returning client_id)
       insert into payload_comment_versions (client_id, comment_id, comment_version, sealed_body, updated_at, updated_by)
       select client_id, $1, 1, $3, 1700000000, 'matrix' from raised`,
      [payload_reference, wrapped_key, sealed_body],
    )
    await db.owner.query(
      `insert into payload_marks (client_id, mark_id, payload_id, mark, marked_at, marked_by)
       select client_id, $1, payload_id, 'escalated', 1700000000, 'matrix' from payloads where payload_reference = $1`,
      [payload_reference],
    )
  }
}

/** Adds an entry of each audit log for each target, and seals them. */
export async function sealTargets(ctx: Pick<AppContext, 'db' | 'keys' | 'now'>): Promise<void> {
  const entries = [
    ['acme', 'own', 'Own'],
    ['acme', 'other group', 'Foreign'],
    ['globex', 'other client', 'Of Globex'],
  ] as const
  const { rows } = await ctx.db.owner.query<{ client_id: number; client: string }>(
    'select client_id, client from clients',
  )
  for (const [client, target, group] of entries)
    await ctx.db.owner.query(
      `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id, group_id)
       values ('${REFERENCES.log_id?.[target]}', ${clientId(client)}, 'matrix', '', 1, 'matrix', true, '{}', '', ${groupId(client, group)});
       insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, action, is_allowed, parameters, request_id, group_id)
       values ('${REFERENCES.log_id?.[target]}', ${clientId(client)}, '', 'matrix', 1, 'matrix', true, '{}', '', ${groupId(client, group)})`,
    )
  for (const client of rows) await sealAll(ctx, client)
}

const clientId = (client: string) => `(select client_id from clients where client = '${client}')`
const groupId = (client: string, group: string) =>
  `(select group_id from groups where client_id = ${clientId(client)} and group_reference = '${group}')`

/** Statements about the target in acme and about the one in globex. */
const inBoth = (kind: string, statements: (client: string, reference: string) => string[]): string[] => [
  ...statements('acme', REFERENCES[kind]?.own ?? ''),
  ...statements('globex', REFERENCES[kind]?.['other client'] ?? ''),
]

function restoring(now: number): string {
  const { role_reference: role, tag_key: tag, app_reference: app, request_reference: request } = REFERENCES
  const ends = now + 3600
  const statements = [
    `delete from roles where updated_by not in ('matrix', 'test')`,
    `delete from group_tags where group_id in (select group_id from groups where updated_by <> 'provisioning')`,
    ...(
      [
        ['groups', 'group_reference'],
        ['roles', 'role_reference'],
        ['tag_definitions', 'tag_key'],
        ['client_apps', 'app_reference'],
      ] as const
    ).map(
      // What a save in acme made under an unknown name, or under one of another client.
      ([table, key]) =>
        `delete from ${table} where client_id = ${clientId('acme')} and ${key} in ('${REFERENCES[key]?.missing}', '${REFERENCES[key]?.['other client']}')`,
    ),
    `delete from alert_dismissals`,
  ]
  for (const [client, group] of [
    ['acme', 'Own'],
    ['acme', 'Foreign'],
    ['globex', 'Of Globex'],
  ] as const) {
    statements.push(
      `insert into groups (client_id, group_reference, updated_at, updated_by) values (${clientId(client)}, '${group}', 0, 'matrix') on conflict do nothing`,
    )
  }
  const document = (reference: string) =>
    JSON.stringify({
      role_reference: reference,
      ...roleInput([{ actions_matching: ['payloads:list'] }]),
      is_system: false,
    })
  // Only the requester takes a request back: one is the caller's own, the other a colleague's.
  for (const [client, target, requester] of [
    ['acme', 'own', 'root'],
    ['globex', 'other client', 'erin'],
  ] as const) {
    const id = clientId(client)
    const [roleName, tagKey, appName, reference] = [role, tag, app, request].map(
      (references) => references?.[target] ?? '',
    )
    statements.push(
      `insert into roles values (${id}, '${roleName}', '${document(roleName ?? '')}', 0, 'matrix')
       on conflict (client_id, role_reference) do update set document = excluded.document, updated_by = 'matrix'`,
      `insert into tag_definitions values (${id}, '${tagKey}', null, false, null, 0, 'matrix')
       on conflict (client_id, tag_key) do update set tag_values = null, is_required = false, default_value = null`,
      `insert into client_apps (client_id, app_reference, issuer, audience, jwks_uri, group_id, roles, updated_at, updated_by)
       values (${id}, '${appName}', 'https://${appName}.example', 'custodia', 'https://${appName}.example/jwks', null, '{Receipt App}', 0, 'matrix')
       on conflict (client_id, app_reference) do nothing`,
      `insert into support_access values (${id}, '${reference}', 'Support Metadata', 'To look into it', ${ends}, '${requester}', 0, 'pending', null, null, null, 0, '${requester}')
       on conflict (client_id, request_reference) do update set approval_state = 'pending', approval_expiry = null, approved_by = null, rejection_reason = null`,
    )
  }
  statements.push(
    `update account_defaults set group_id = ${groupId('acme', 'Own')}, role = null, cidr_ranges = '{}' where client_id = ${clientId('acme')}`,
  )
  const approvals = [
    [APPROVALS.approved, 'approved', ends, 'Support Metadata'],
    [APPROVALS.pending, 'pending', null, 'Support Metadata'],
    [APPROVALS.expired, 'approved', now - 60, 'Support Metadata'],
    [APPROVALS.administrator, 'approved', ends, 'Account Administrator'],
  ] as const
  for (const [reference, state, until, role] of approvals) {
    const by = until === null ? 'null' : `'alice'`
    statements.push(
      `insert into support_access values (${clientId('acme')}, '${reference}', '${role}', 'To look into it', ${ends}, 'erin', 0, '${state}', ${until}, ${by}, null, 0, 'alice')
       on conflict (client_id, request_reference) do update set approval_state = excluded.approval_state,
         approval_expiry = excluded.approval_expiry, requested_expiry = excluded.requested_expiry`,
    )
  }
  for (const [kind, client, target, group] of [
    ['alert_reference', 'acme', 'own', 'Own'],
    ['alert_reference', 'acme', 'other group', 'Foreign'],
    ['alert_reference', 'globex', 'other client', 'Of Globex'],
    ['provider_alert_reference', 'acme', 'own', 'Own'],
    ['provider_alert_reference', 'acme', 'other group', 'Foreign'],
    ['provider_alert_reference', 'globex', 'other client', 'Of Globex'],
  ] as const) {
    const reference = REFERENCES[kind]?.[target]
    const side = kind === 'alert_reference' ? 'client' : 'admin'
    statements.push(
      `insert into alerts (client_id, alert_reference, alert_target, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_severity, first_occurrence, last_occurrence, group_id)
       values (${clientId(client)}, '${reference}', '${side}', 'ops', 'PayloadAlert', 'Matrix', '${reference}', 'Matrix', 'Low', 1, 1, ${groupId(client, group)})
       on conflict (client_id, alert_reference) do update set alert_state = 'Triggered', cleared_at = null, cleared_reason = null, cleared_by = null, group_id = excluded.group_id`,
    )
  }
  statements.push(
    ...inBoth('certificate_reference', (client, reference) => [
      `insert into destruction_runs (client_id, run_id, began_at, ended_at, payloads) values (${clientId(client)}, '${reference}', 1, 1, 0) on conflict do nothing`,
      `insert into destruction_certificates (client_id, certificate_reference, run_id, part, parts, payloads, began_at, ended_at, issued_at, key_id, checksum, body, signature)
       values (${clientId(client)}, '${reference}', '${reference}', 1, 1, 0, 1, 1, 1, 'key', repeat('0', 64), '{"format":"custodia.destruction/1","client":"${client}","certificate_reference":"${reference}","run":"${reference}","part":1,"parts":1,"began_at":1,"ended_at":1,"issued_at":1,"payloads":[]}', '') on conflict do nothing`,
    ]),
  )
  for (const [client, target] of [
    ['acme', 'own'],
    ['globex', 'other client'],
  ] as const)
    statements.push(
      `insert into portal_sessions (session_id, client_id, user_reference, roles, refresh_hash, rotated_at, checked_at, created_at, expires_at)
       values ('${target === 'own' ? SESSION_ID : ulid('SE2')}', ${clientId(client)}, '${REFERENCES.user_reference?.[target]}', '{}', 'matrix ${client}', 1, 1, 1, ${ends})
       on conflict (session_id) do update set ended_at = null`,
    )
  statements.push(`delete from alert_webhooks where created_by <> 'matrix'`)
  statements.push(
    ...inBoth('webhook_reference', (client, webhook) => [
      `insert into alert_webhooks values (${clientId(client)}, '${webhook}', 'Matrix', 'https://apps.example/', '{ops}', 'Low', false, '', 0, 'matrix', 0, 'matrix')
       on conflict (client_id, webhook_reference) do update set is_active = false`,
      `insert into alert_deliveries (client_id, webhook_reference, delivery_reference, alert_type, alert_scope, alert_severity, occurred_at, delivery_state, next_at)
       values (${clientId(client)}, '${webhook}', '${DELIVERY_REFERENCE}', 'Notification', 'ops', 'Low', 0, 'dead', 0)
       on conflict (client_id, delivery_reference) do update set delivery_state = 'dead'`,
    ]),
  )
  statements.push(`delete from transfer_configs where updated_by <> 'matrix'`)
  statements.push(
    ...inBoth('transfer_config_reference', (client, config) => [
      `insert into transfer_configs values (${clientId(client)}, '${config}', 'Payload', '{Call}', null, null, 'Uncompressed',
         '{"target_type":"S3","destination":"s3://matrix","region":"eu-west-1","iam_role_arn":"arn:aws:iam::123456789012:role/matrix"}', false, null, null, null, null, 0, 'matrix')
       on conflict do nothing`,
    ]),
  )
  statements.push(
    ...inBoth('transfer_id', (client, run) => [
      `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, completed_at, report_to, updated_by)
       values (${clientId(client)}, '${run}', 'matrix/own', 'Payload', 'Succeeded', 0, 0, 0, 'matrix') on conflict do nothing`,
    ]),
  )
  statements.push(
    ...inBoth('statement_reference', (client, reference) => [
      `insert into capture_statements (client_id, statement_reference, day, issued_at, recorded, archived, queued, explained, missing, contradictory, key_id,
         checksum, body, signature)
       values (${clientId(client)}, '${reference}', 0, 1, 0, 0, 0, 0, 0, 0, 'key', repeat('0', 64),
         '{"format":"custodia.capture/1","client":"${client}","statement_reference":"${reference}","day":0,"issued_at":1,"recorded":0,"archived":0,"queued":0,"explained":0,"missing":0,"contradictory":0,"gaps":[],"former_sha256":null}', '') on conflict do nothing`,
    ]),
    ...inBoth('reconciliation_reference', (client, reference) => [
      `insert into transfer_reconciliations (client_id, reconciliation_reference, transfer_config_reference, payload_date, version, payload_types, captured,
         delivered, missing, reasons, issued_at, key_id, checksum, body, signature)
       values (${clientId(client)}, '${reference}', 'matrix/own', 0, 1, '{Call}', 0, 0, 0, '[]', 1, 'key', repeat('0', 64),
         '{"format":"custodia.reconciliation/1","client":"${client}","reconciliation_reference":"${reference}","transfer_config_reference":"matrix/own","payload_date":"1970-01-01","version":1,"payload_types":["Call"],"captured":0,"delivered":0,"missing":0,"reasons":[],"issued_at":1,"delivered_sha256":"${'0'.repeat(64)}","missing_sha256":"${'0'.repeat(64)}","missing_payloads":[],"replaces":null}', '')
       on conflict do nothing`,
    ]),
  )
  statements.push(
    ...inBoth('migration_reference', (client, run) => [
      `insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename)
       values (${clientId(client)}, '${run}', 'Migrated', true, 0, 'matrix', 0, 'users.csv') on conflict do nothing`,
    ]),
  )
  const people = REFERENCES.device_user_reference
  const made = `client_id = ${clientId('acme')} and device_user_reference in ('${people?.missing}', '${people?.['other client']}', 'matrix import')`
  statements.push(
    `delete from device_user_words where (client_id, device_user_id) in (select client_id, device_user_id from device_users where ${made})`,
    `delete from device_users where ${made}`,
  )
  const enrolments = REFERENCES.enrolment_reference
  for (const [client, person, group, enrolment] of [
    ['acme', people?.own, 'Own', enrolments?.own],
    ['acme', people?.['other group'], 'Foreign', enrolments?.['other group']],
    ['globex', people?.['other client'], 'Of Globex', enrolments?.['other client']],
  ] as const) {
    statements.push(
      `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
       values (${clientId(client)}, '${person}', ${groupId(client, group)}, 0, 'matrix')
       on conflict (client_id, device_user_reference) do update set deleted_at = null, is_active = true, group_id = excluded.group_id`,
      `insert into enrolments (client_id, enrolment_reference, device_user_id, secret_hash, max_uses, created_at, created_by, expires_at)
       select client_id, '${enrolment}', device_user_id, '', 1, 0, 'matrix', ${ends} from device_users
       where client_id = ${clientId(client)} and device_user_reference = '${person}'
       on conflict (client_id, enrolment_reference) do update set revoked_at = null, revoked_by = null`,
    )
  }
  statements.push(
    ...inBoth('destruction_reference', (client, destruction) => [
      `insert into destruction_lists (client_id, destruction_reference, state, began_at, gathered_at)
       values (${clientId(client)}, '${destruction}', 'waiting', ${now}, ${now}) on conflict do nothing`,
    ]),
  )
  statements.push(
    ...inBoth('data_request_id', (client, request) => [
      `insert into data_requests (client_id, data_request_id, kind, law, subject_type, subject, received_at, opened_at, opened_by)
       values (${clientId(client)}, '${request}', 'Access', 'GDPR', 'Number', '+440000000000', ${now}, ${now}, 'matrix')
       on conflict (client_id, data_request_id) do update set state = 'Open', closed_at = null, closed_by = null, reason_id = null`,
    ]),
  )
  statements.push(
    ...inBoth('proposal_id', (client, proposal) => [
      `insert into proposals (client_id, proposal_id, kind, subject, act, basis, proposed_at, proposed_by)
       values (${clientId(client)}, '${proposal}', 'ReleaseHold', 'matrix', '{"target_type": "PortalUser", "target": "matrix"}', '{"event_id": 0}', ${now}, 'matrix')
       on conflict do nothing`,
    ]),
  )
  statements.push(
    ...inBoth('recertification_reference', (client, reference) => [
      `insert into recertifications (client_id, recertification_reference, name, started_at, started_by, due_at)
       values (${clientId(client)}, '${reference}', 'Matrix', 0, 'matrix', ${now + 86_400})
       on conflict (client_id, recertification_reference) do update set ended_at = null, ended_by = null`,
      `insert into recertified_people (client_id, recertification_reference, user_reference, roles)
       values (${clientId(client)}, '${reference}', 'matrix user', '{Auditor}')
       on conflict (client_id, recertification_reference, user_reference) do update
       set decision = null, reason = null, decided_at = null, decided_by = null`,
    ]),
  )
  for (const [client, person, matter] of [
    ['acme', people?.own, REFERENCES.matter_id?.own],
    ['globex', people?.['other client'], REFERENCES.matter_id?.['other client']],
  ] as const)
    statements.push(
      `with held as (
         insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
         select client_id, 'DeviceUser', device_user_reference, device_user_id, true, ${now}, ${now}, 'matrix' from device_users
         where client_id = ${clientId(client)} and device_user_reference = '${person}'
         on conflict (client_id, target_type, target) do update set is_active = true, updated_at = excluded.updated_at, updated_by = 'matrix'
         where not legal_holds.is_active returning *)
       insert into legal_hold_events (client_id, target_type, target, act, at, by)
       select client_id, target_type, target, 'set', updated_at, updated_by from held`,
      `insert into legal_matters (client_id, matter_id, name, opened_at, opened_by, updated_at, updated_by)
       values (${clientId(client)}, '${matter}', 'Matrix', 0, 'matrix', 0, 'matrix') on conflict do nothing`,
      `insert into legal_matter_people (client_id, matter_id, target_type, target, added_at, added_by)
       select ${clientId(client)}, '${matter}', 'DeviceUser', '${person}', 0, 'matrix' where not exists (
         select from legal_matter_people where matter_id = '${matter}' and target = '${person}' and removed_at is null)`,
    )
  statements.push(
    // Its token must survive the changes to the phones that are targets.
    `insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
     values (${clientId('acme')}, 'matrix phone calling', ${groupId('acme', 'Own')}, 0, 'matrix') on conflict do nothing`,
  )
  const phones = REFERENCES.device_reference
  const payloads = REFERENCES.payload_reference
  for (const [client, device, group, payload, type] of [
    ['acme', phones?.own, 'Own', payloads?.own, 'SMS'],
    ['acme', phones?.['other group'], 'Foreign', payloads?.['other group'], 'SMS'],
    ['acme', phones?.own, 'Own', payloads?.['other type'], 'Photo'],
    ['globex', phones?.['other client'], 'Of Globex', payloads?.['other client'], 'SMS'],
  ] as const) {
    statements.push(
      `insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
       values (${clientId(client)}, '${device}', ${groupId(client, group)}, 0, 'matrix')
       on conflict (client_id, device_reference) do update set deleted_at = null, blocked_at = null, is_deactivated = false`,
      payloadRow(client, device ?? '', group, payload ?? '', type),
    )
  }
  const commands = REFERENCES.command_reference
  statements.push('delete from device_commands')
  for (const [client, device, group, command] of [
    ['acme', 'matrix phone calling', 'Own', commands?.own],
    ['acme', phones?.['other group'], 'Foreign', commands?.['other group']],
    ['globex', phones?.['other client'], 'Of Globex', commands?.['other client']],
  ] as const)
    statements.push(
      `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, raised_by, sent_at)
       select client_id, '${command}', device_id, ${groupId(client, group)}, 'sync_data', '{}', 'matrix', 1700000000 from devices
       where client_id = ${clientId(client)} and device_reference = '${device}' on conflict do nothing`,
    )
  for (const [client, device, group] of [
    ['acme', phones?.own, 'Own'],
    ['acme', phones?.['other group'], 'Foreign'],
    ['globex', phones?.['other client'], 'Of Globex'],
  ] as const)
    statements.push(
      `with made as (
         insert into report_keys (client_id, device_id, digest, wrapped_key, made_at)
         select client_id, device_id, 'matrix', '', 0 from devices where client_id = ${clientId(client)} and device_reference = '${device}'
         on conflict do nothing returning client_id, device_id, report_key_id),
       facts as (
         insert into telemetry_facts (client_id, facts_id, month, facts)
         select client_id, 0, 0, '{"os_version":"16","model":"m","app_version":"4"}' from made on conflict do nothing)
       insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, facts_id, has_applications, report_key_id, iv,
         sealed_meta, checksum, received_at)
       select client_id, device_id, '${TELEMETRY_ID}', 1700000000, ${groupId(client, group)}, 0, false, report_key_id, '', '', '', 1700000000 from made`,
    )
  statements.push(
    `delete from payload_comment_versions where comment_version > 1 or updated_by <> 'matrix'`,
    `update payload_comments set comment_version = 1, closed_at = null, closed_by = null, sealed_reason = null`,
    `delete from payload_comments where raised_by <> 'matrix'`,
    `delete from payload_marked`,
    `delete from payload_marks where marked_by <> 'matrix'`,
    `update payload_marks set decided_at = null, decided_by = null, sealed_result = null`,
    `delete from review_settings`,
    `delete from payload_playheads`,
    `delete from payload_receipts where client_app_user = 'matrix'`,
    `update clients set access_epoch = access_epoch + 1, suspended_at = null, suspended_by = null, suspended_reason = null
      where client in ('acme', 'globex')`,
    `update portal_sessions set ended_at = null where session_id like 'test %'`,
  )
  return statements.join(';\n')
}

const payloadRow = (
  client: string,
  device: string,
  group: string,
  payload: string,
  type: 'SMS' | 'Photo',
): string => `
  with made as (
    insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, announced_at, uploaded_at,
      processed_at, updated_at)
    select ${clientId(client)}, '${payload}', ${SERVICE_CODES[type === 'SMS' ? 'messages' : 'photos']}, ${TYPE_CODES[type]},
      ${STATE_CODES.Processed}, 1700000000, ${groupId(client, group)}, device_id, 1700000000, 1700000000, 1700000000, 1700000000
    from devices where client_id = ${clientId(client)} and device_reference = '${device}'
    on conflict do nothing returning payload_id, client_id, service, group_id, type, updated_at, processed_at
  ), changed as (
    insert into payload_changes (payload_id, client_id, service, group_id, type, updated_at, processed_at)
    select payload_id, client_id, service, group_id, type, updated_at, processed_at from made)
  insert into payload_documents (payload_id, client_id, list_doc, thread_id)
  select payload_id, client_id, '{"parties":[],"party_count":0}', '7' from made`
