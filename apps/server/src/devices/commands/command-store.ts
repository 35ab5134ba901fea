import {
  type CommandInput,
  type CommandState,
  DANGEROUS_COMMANDS,
  type DeviceCommand,
  type REPORTED_STATES,
  type SentCommand,
} from '@custodia/contract'
import { commandStatesBefore, OPEN_COMMAND_STATES } from '@custodia/domain'
import { clientColumn } from '../../clients/store.ts'
import { endWaits } from '../../device-records/token-store.ts'
import { marked } from '../../http/context.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/time-ordered.ts'

/** Actor of commands that end without an answer. */
const UNANSWERED_BY = marked('commands', 'system')

/** Commands for lists, newest first. */
export const COMMAND_LIST: TimeOrdered = {
  table: 'device_commands',
  time: 'sent_at',
  id: 'command_reference',
  id_type: 'text',
  columns: `${clientColumn('r.client_id')}, r.command_reference, r.command, r.params, d.device_reference, g.group_reference as "group",
    r.state, r.raised_by, r.sent_at, r.acknowledged_at, r.completed_at, r.failure, r.message,
    case when r.failure = 'no_answer' then '${UNANSWERED_BY}' when r.acknowledged_at is null and r.completed_at is null then r.raised_by
      else 'device' end as updated_by`,
  joins:
    'join devices d using (client_id, device_id) join groups g on g.client_id = r.client_id and g.group_id = r.group_id',
}

/** Stores a command to each of these devices, under its reference. The commit wakes waiting devices. */
export async function insertCommands(
  tx: Tx,
  sent: readonly { command_reference: string; device_id: number; group_id: number }[],
  { command, params }: CommandInput,
  by: { raised_by: string; sent_at: number },
): Promise<void> {
  const device_ids = sent.map(({ device_id }) => device_id)
  await tx.query(
    `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, raised_by, sent_at)
     select $1, d.*, $5, $6, $7, $8 from unnest($2::text[], $3::int[], $4::int[]) d`,
    [
      tx.client_id,
      sent.map(({ command_reference }) => command_reference),
      device_ids,
      sent.map(({ group_id }) => group_id),
      command,
      JSON.stringify(params),
      by.raised_by,
      by.sent_at,
    ],
  )
  await endWaits(tx, device_ids)
}

/** A command by reference. */
export async function findCommand(q: Queryable, command_reference: string): Promise<DeviceCommand> {
  const row = await q.row<DeviceCommand>(
    `select ${COMMAND_LIST.columns} from device_commands r ${COMMAND_LIST.joins} where r.client_id = $1 and r.command_reference = $2`,
    [q.client_id, command_reference],
  )
  if (!row) throw new Error(`there is no command ${command_reference}`)
  return row
}

/**
 * Open commands of an active device, oldest first. Dangerous commands are omitted after a change of group: their
 * permission was for the former group.
 */
export function findOpenCommands(q: Queryable, device_id: number, most: number): Promise<SentCommand[]> {
  return q.rows<SentCommand>(
    `select r.command_reference, r.command, r.params, r.state, r.sent_at from device_commands r
     join devices d using (client_id, device_id)
     where r.client_id = $1 and r.device_id = $2 and r.state = any($3) and not d.is_deactivated
       and (r.group_id = d.group_id or r.command <> all($5))
     order by r.command_reference limit $4`,
    [q.client_id, device_id, OPEN_COMMAND_STATES, most, DANGEROUS_COMMANDS],
  )
}

/**
 * Moves a command to the reported state if the state table allows it. Returns the current state, or undefined for
 * another device's command.
 */
export async function moveCommand(
  tx: Tx,
  { device_id, command_reference }: { device_id: number; command_reference: string },
  { state, message, now }: { state: (typeof REPORTED_STATES)[number]; message: string | null; now: number },
): Promise<CommandState | undefined> {
  const ends = state !== 'Acknowledged'
  await tx.query(
    `update device_commands set state = $4, message = coalesce($5, message),
       acknowledged_at = case when $6 then acknowledged_at else $7 end, completed_at = case when $6 then $7::bigint end, failure = $8
     where client_id = $1 and device_id = $2 and command_reference = $3 and state = any($9)`,
    [
      tx.client_id,
      device_id,
      command_reference,
      state,
      message,
      ends,
      now,
      state === 'Failed' ? 'reported' : null,
      commandStatesBefore(state),
    ],
  )
  return tx.value<CommandState>(
    'select state from device_commands where client_id = $1 and device_id = $2 and command_reference = $3',
    [tx.client_id, device_id, command_reference],
  )
}

/** Fails at most `most` commands without a report since a time. Returns the number. */
export async function failUnanswered(
  tx: Tx,
  { since, now, most }: { since: number; now: number; most: number },
): Promise<number> {
  const { rowCount } = await tx.query(
    `update device_commands set state = 'Failed', failure = 'no_answer', completed_at = $3
     where client_id = $1 and state = any($5) and command_reference in (
       select command_reference from device_commands
       where client_id = $1 and state = any($5) and coalesce(acknowledged_at, sent_at) < $2
       order by command_reference limit $4 for update skip locked)`,
    [tx.client_id, since, now, most, OPEN_COMMAND_STATES],
  )
  return rowCount
}

/** Moves the commands of a device that waited for confirmation to its confirmed group. */
export async function reassignCommands(tx: Tx, device_id: number): Promise<void> {
  await tx.query(
    `with due as materialized (
       select c.command_reference, d.group_id from device_commands c join devices d using (client_id, device_id)
       where c.client_id = $1 and c.device_id = $2 and d.group_id <> c.group_id
         and c.group_id = (select group_id from groups where client_id = $1 and is_reserved)
       order by c.command_reference for update of c)
     update device_commands c set group_id = due.group_id from due where c.client_id = $1 and c.command_reference = due.command_reference`,
    [tx.client_id, device_id],
  )
}

/** Returns the push token of a device with an open command, or undefined. */
export function findPushToken(q: Queryable, device_id: number): Promise<string | undefined> {
  return q.value<string>(
    `select d.fcm_token from devices d where d.client_id = $1 and d.device_id = $2 and d.fcm_token is not null and not d.is_deactivated
       and exists (select from device_commands c where c.client_id = d.client_id and c.device_id = d.device_id and c.state = 'Sent')`,
    [q.client_id, device_id],
  )
}
