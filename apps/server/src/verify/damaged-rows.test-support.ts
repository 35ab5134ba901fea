import { RETENTION } from '../http/context.ts'
import { SERVICE_CODES, TYPE_CODES } from '../payload-records/codes.ts'
import { dekContext, deviceDekContext } from '../ports/keys/contexts.ts'
import type { Check } from './checks.ts'
import { type Damage, damageOn as on, force } from './damage.test-support.ts'

/** A damage of rows only: statements on `$id`, and the expected checks on the payload. */
export const damageRows = (
  kind: Damage['on'],
  name: string,
  statements: string,
  ...checks: Check[]
): Damage =>
  on(kind, name, async (fixture, { payload_id, payload_reference }) => {
    await force(fixture, statements.replaceAll('$id', String(payload_id)))
    return checks.map((check) => [check, payload_reference])
  })

export const DAMAGED_ROWS: readonly Damage[] = [
  damageRows(
    'photo',
    'digest that does not match the opened bytes',
    `update payload_objects set checksum = repeat('0', 64) where payload_id = $id`,
    'content_wrong',
  ),
  damageRows(
    'photo',
    'document with another number than its device sealed',
    `update payload_documents set list_doc = (list_doc::jsonb || '{"phone_number": "+447700900999"}')::json where payload_id = $id`,
    'document_wrong',
  ),
  damageRows(
    'photo',
    'another type than its device sealed',
    `update payloads set type = ${TYPE_CODES.SMS} where payload_id = $id`,
    'metadata_unreadable',
    'state_impossible',
    'change_wrong',
    'receipt_wrong',
    'words_wrong',
  ),
  damageRows(
    'photo',
    'another type whose metadata has the same fields',
    `update payloads set type = ${TYPE_CODES.Video}, service = ${SERVICE_CODES.videos} where payload_id = $id`,
    'metadata_unreadable',
    'change_wrong',
    'receipt_wrong',
    'words_wrong',
  ),
  damageRows(
    'photo',
    'another time than its device sealed',
    'update payloads set claimed_time = payload_time + 7 where payload_id = $id',
    'document_wrong',
  ),
  damageRows(
    'blocked',
    'another end than its device sealed',
    'update payloads set payload_end_time = payload_time + 4321 where payload_id = $id',
    'document_wrong',
  ),
  damageRows(
    'photo',
    'flipped bit in the data key as its device wrapped it',
    `update payload_envelopes set encrypted_dek = set_byte(encrypted_dek, 40, 255 - get_byte(encrypted_dek, 40))
       where payload_id = $id`,
    'key_refused',
  ),
  on('photo', 'another person than held its device', async (fixture, { payload_id, payload_reference }) => {
    await fixture.sql(
      `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
       select client_id, 'never held it ${payload_id}', group_id, 0, 'test' from payloads where payload_id = ${payload_id}`,
    )
    await force(
      fixture,
      `update payloads set device_user_id = (select device_user_id from device_users where device_user_reference = 'never held it ${payload_id}')
         where payload_id = ${payload_id}`,
    )
    return [['person_wrong', payload_reference]]
  }),
  on(
    'photo',
    'a person who held its device at another time',
    async (fixture, { payload_id, payload_reference }) => {
      await fixture.sql(
        `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
       select client_id, 'held it later ${payload_id}', group_id, 0, 'test' from payloads where payload_id = ${payload_id}`,
      )
      await force(
        fixture,
        `insert into device_history (client_id, device_id, device_user_id, group_id, from_at, to_at)
         select p.client_id, device_id, u.device_user_id, p.group_id, 9000000000, 9000000001
         from payloads p join device_users u using (client_id) where p.payload_id = ${payload_id} and device_user_reference = 'held it later ${payload_id}';
       update payloads set device_user_id = (select device_user_id from device_users where device_user_reference = 'held it later ${payload_id}')
         where payload_id = ${payload_id}`,
      )
      return [['person_wrong', payload_reference]]
    },
  ),
  damageRows(
    'photo',
    'missing wrapped key',
    'update payload_objects set wrapped_dek = null where payload_id = $id',
    'key_missing',
  ),
  damageRows(
    'photo',
    'missing object row',
    'delete from payload_objects where payload_id = $id',
    'object_row_missing',
  ),
  damageRows(
    'photo',
    'object row with another size',
    'update payload_objects set sealed_size = sealed_size + 1 where payload_id = $id',
    'object_row_wrong',
    'object_size',
  ),
  damageRows(
    'photo',
    'deleted document',
    'delete from payload_documents where payload_id = $id; delete from payload_numbers where payload_id = $id; delete from payload_words where payload_id = $id',
    'document_missing',
  ),
  damageRows(
    'recorded',
    'unexpected document',
    `insert into payload_documents (payload_id, client_id, list_doc) select payload_id, client_id, '{}' from payloads where payload_id = $id`,
    'document_unexpected',
  ),
  damageRows(
    'photo',
    'impossible state',
    'update payloads set state = 6 where payload_id = $id',
    'state_impossible',
    'history_broken',
  ),
  damageRows(
    'recorded',
    'state without its history',
    'update payloads set state = 7, failure = $$malware_found$$ where payload_id = $id',
    'history_broken',
    'object_missing',
  ),
  damageRows(
    'photo',
    'duplicate history step',
    `insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
     select client_id, payload_id, at, from_state, to_state, by from payload_history where payload_id = $id and to_state = 4`,
    'history_broken',
  ),
  on('photo', 'history step without an author', async (fixture, { payload_id }) => {
    await force(
      fixture,
      `update payload_history set by = '' where payload_id = ${payload_id} and to_state = 4`,
    )
    return [['history_broken', `payload ${payload_id}`]]
  }),
  damageRows(
    'photo',
    'missing envelope',
    'delete from payload_envelopes where payload_id = $id',
    'envelope_missing',
  ),
  damageRows(
    'photo',
    'index word that the text does not have',
    'insert into content_words select 1, payload_time, payload_id, client_id, group_id, service, 1, type from payloads where payload_id = $id',
    'words_wrong',
  ),
  damageRows('photo', 'missing word', 'delete from content_words where payload_id = $id', 'words_wrong'),
  damageRows(
    'photo',
    'words in another group',
    'update content_words set group_id = group_id + 1000 where payload_id = $id',
    'words_wrong',
  ),
  damageRows(
    'photo',
    'play without an audit record',
    `insert into payload_opened select client_id, payload_id, 'unknown', 1, service, payload_time, group_id, type from payloads where payload_id = $id`,
    'review_wrong',
  ),
  damageRows(
    'photo',
    'played parts of a payload that does not play',
    `insert into payload_plays (client_id, payload_id, person, parts, first_at, last_at)
     select client_id, payload_id, 'unknown', '{[0,5)}', 1, 1 from payloads where payload_id = $id`,
    'review_wrong',
  ),
  damageRows(
    'photo',
    'mark that is not the last one',
    `insert into payload_marked select client_id, payload_id, 'unknown', 'flagged', 'A', service, payload_time, group_id, type
     from payloads where payload_id = $id`,
    'review_wrong',
  ),
  damageRows(
    'photo',
    'playback position of a payload that cannot be played',
    `insert into payload_playheads select client_id, payload_id, 'unknown', 1, 1 from payloads where payload_id = $id`,
    'playhead_wrong',
  ),
  damageRows(
    'blocked',
    'wrong number',
    'update payload_numbers set number_hash = number_hash + 1 where payload_id = $id and is_second',
    'numbers_wrong',
  ),
  damageRows(
    'blocked',
    'lost word of a name',
    'delete from payload_words where payload_id = $id',
    'search_wrong',
  ),
  damageRows(
    'blocked',
    'wrong conversation of a payload',
    `update payload_documents set thread_id = '7' where payload_id = $id`,
    'thread_wrong',
  ),
  on('photo', 'miscounted conversation', async (fixture, { payload_id }) => {
    await force(
      fixture,
      `insert into thread_counts select client_id, device_id, 'miscounted ' || payload_id, group_id, 1, 5, 0, 0 from payloads where payload_id = ${payload_id}`,
    )
    const [row] = await fixture.sql<{ device_id: number }>(
      `select device_id from payloads where payload_id = ${payload_id}`,
    )
    return [['thread_wrong', `conversation miscounted ${payload_id} of device ${row?.device_id}`]]
  }),
  damageRows(
    'photo',
    'missing row in payload_changes',
    'delete from payload_changes where payload_id = $id',
    'change_wrong',
  ),
  damageRows(
    'photo',
    'missing row among those without a receipt',
    'delete from payload_unconfirmed where payload_id = $id',
    'receipt_wrong',
  ),
  damageRows(
    'photo',
    'kept payload among the deleted ones',
    `insert into payload_removed (client_id, state, service, payload_time, payload_id, group_id, type)
     select client_id, 9, service, payload_time, payload_id, group_id, type from payloads where payload_id = $id`,
    'removed_wrong',
  ),
  damageRows(
    'recorded',
    'missing work item',
    'delete from payload_work where payload_id = $id',
    'work_missing',
  ),
  damageRows(
    'uploaded',
    'missing work item of an acknowledged upload',
    'delete from payload_work where payload_id = $id',
    'work_missing',
  ),
  damageRows(
    'photo',
    'unknown key of the device',
    `update payload_envelopes set key_id = gen_random_uuid()::text where payload_id = $id`,
    'key_lost',
  ),
  on(
    'photo',
    'wiped key that seals the data key of the device',
    async (fixture, { payload_id, payload_reference }) => {
      const key = await fixture.ctx.keys.put(Buffer.alloc(32), deviceDekContext('acme', payload_reference))
      await fixture.ctx.keys.forget([key])
      await force(
        fixture,
        `update payload_envelopes set dek_key = '\\x${key.toString('hex')}' where payload_id = ${payload_id}`,
      )
      return [['key_lost', payload_reference]]
    },
  ),
  on('photo', 'wrapped under a lost key', async (fixture, { payload_id, payload_reference }) => {
    const wrapped = await fixture.ctx.keys.wrap(Buffer.alloc(32), dekContext('acme', payload_reference))
    wrapped.writeUInt8((payload_id % 200) + 2, 3)
    await force(
      fixture,
      `update payload_objects set wrapped_dek = '\\x${wrapped.toString('hex')}' where payload_id = ${payload_id}`,
    )
    return [
      ['key_lost', payload_reference],
      ['key_lost', `${payload_reference} and 0 more`],
    ]
  }),
  on('photo', 'orphan rows', async (fixture, { payload_id }) => {
    const missing_id = payload_id + 1_000_000
    await force(
      fixture,
      `insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second) select client_id, 1, 1, 1, ${missing_id}, 1, 1, true from payloads where payload_id = ${payload_id}`,
    )
    return [['row_orphaned', `payload_numbers of payload ${missing_id}`]]
  }),
  on('photo', 'audit record without a log entry', async (fixture, { payload_id, payload_reference }) => {
    await force(
      fixture,
      `insert into payload_audit select client_id, payload_id, 1, 'log ${payload_reference}', 'x', 'payloads:play' from payloads where payload_id = ${payload_id}`,
    )
    return [
      ['audit_entry_wrong', `log ${payload_reference}`],
      ['review_wrong', payload_reference],
    ]
  }),
  damageRows(
    'photo',
    'deleted by retention before it was due',
    `insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
     select client_id, payload_id, payload_time + 60, 6, 9, '${RETENTION}' from payloads where payload_id = $id`,
    'retention_early',
    'history_broken',
  ),
  damageRows(
    'photo',
    'destroyed by retention without a policy rule',
    `insert into destruction_ledger (client_id, payload_id, payload_reference, run_id, type, payload_time, announced_at, deleted_at, deleted_from,
       destroyed_at, destroyed_by, digests, policy_version, rule, gates, people_checked, holds_ended, keys)
     select client_id, payload_id, payload_reference, 'run', type, payload_time, announced_at, 2, 6, 3, '${RETENTION}', '[]', 1,
       '{"destroy_after_days": 0}', '{}', 0, 0, 0 from payloads where payload_id = $id`,
    'retention_early',
    'destruction_broken',
  ),
  damageRows(
    'photo',
    'deleted under a legal hold',
    `with h as (
       insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
       select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 1, 1, 'test (system)' from device_users
       where client_id = (select client_id from payloads where payload_id = $id) order by device_user_id limit 1 on conflict do nothing returning *)
     insert into legal_hold_events (client_id, target_type, target, act, at, by) select client_id, target_type, target, 'set', 1, 'test (system)' from h;
     update payloads p set device_user_id = h.device_user_id from legal_holds h where h.client_id = p.client_id and payload_id = $id;
     insert into payload_history (client_id, payload_id, at, from_state, to_state, by) select client_id, payload_id, 2, 6, 9, 'retention' from payloads where payload_id = $id`,
    'hold_broken',
    'history_broken',
    'person_wrong',
  ),
  damageRows(
    'photo',
    'payload in the destruction ledger that still exists',
    `insert into destruction_ledger (client_id, payload_id, payload_reference, run_id, type, payload_time, announced_at, deleted_at, deleted_from,
       destroyed_at, destroyed_by, digests, policy_version, rule, gates, people_checked, holds_ended, keys)
     select client_id, payload_id, payload_reference, 'run', type, payload_time, announced_at, 1, 5, 1, 'unknown', '[]', 1, '{}', '{}', 0, 0, 0
     from payloads where payload_id = $id`,
    'destruction_broken',
  ),
]
