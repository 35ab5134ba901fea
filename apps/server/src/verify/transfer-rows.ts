import { STATE_CODES } from '../payload-records/codes.ts'

/** Runs of transfers against their items: what is over says what became of them, and nothing of it waits. */
const RUNS = `
  select 'transfer ' || r.transfer_id as subject, case
    when r.transfer_state = 'Succeeded' and i.succeeded < i.items then 'succeeded, with ' || i.items - i.succeeded || ' items that did not'
    when r.transfer_state = 'Failed' and i.succeeded > 0 then 'failed, with ' || i.succeeded || ' items that did not'
    when r.transfer_state = 'PartialFail' and i.succeeded = 0 then 'failed in part, and nothing of it succeeded'
    when i.waiting > 0 then 'over, with ' || i.waiting || ' items that wait'
    when r.transfer_type = 'Payload' and i.items <> r.payload_count then r.payload_count || ' payloads, and ' || i.items || ' items'
    end as detail
  from transfer_runs r
  cross join lateral (select count(*)::int as items, count(*) filter (where transfer_state = 'Succeeded')::int as succeeded,
      count(*) filter (where transfer_state in ('Pending', 'InProgress'))::int as waiting
    from transfer_items i where i.client_id = r.client_id and i.transfer_id = r.transfer_id) i
  where r.client_id = $1 and r.completed_at is not null and ($2::bigint is null or r.completed_at >= $2)`

/** Items against their attempts and, where they are payloads, against the trail of those. */
const ITEMS = `
  select 'transfer ' || i.transfer_id || ' item ' || i.item as subject, case
    when i.transfer_state in ('Succeeded', 'Failed') and a.last is distinct from i.transfer_state then 'its last attempt says otherwise'
    when i.transferred_at is not null and a.first_success is distinct from i.transferred_at then 'lay there first at another time than its attempts say'
    when i.transferred_at is not null and i.payload_id is not null and not exists (select from payload_audit t
        where t.client_id = i.client_id and t.payload_id = i.payload_id and t.at = i.transferred_at and t.action = 'transfers:deliver')
      then 'delivered without a word in its trail'
    when i.transferred_at is not null and p.payload_reference ~ '^[A-Za-z0-9_-]+$' and i.dest_path !~ ('(^|/)'
        || to_char(to_timestamp(coalesce(p.claimed_time, p.payload_time)) at time zone 'UTC', 'YYYY/MM/DD/') || p.payload_reference || '[.][a-z0-9.]+$')
      then 'lies where another payload would'
    end as detail
  from transfer_items i join transfer_runs r using (client_id, transfer_id)
  left join payloads p on p.client_id = i.client_id and p.payload_id = i.payload_id
  cross join lateral (select (array_agg(transfer_state order by attempt desc))[1] as last,
      min(attempted_at) filter (where transfer_state = 'Succeeded') as first_success
    from transfer_attempts a where a.client_id = i.client_id and a.transfer_id = i.transfer_id and a.item = i.item) a
  where i.client_id = $1 and ($2::bigint is null or coalesce(r.completed_at, $2) >= $2)`

/** Items that were delivered, and entries of deliveries by day, each against the other; those of destroyed payloads outlive their run. */
const ENTRIES = `
  select 'delivery of ' || p.payload_reference || ' to ' || transfer_config_reference as subject, case
    when a.payload_id is null then 'without an entry under its day'
    when i.payload_id is null and (p.state <> ${STATE_CODES.Destroyed} or r.run is not null) then 'entered under its day, and no item says so'
    when a.transfer_id <> i.transfer_id then 'entered for another transfer'
    when a.transferred_at <> i.transferred_at then 'entered at another time than it lay there first'
    when a.encrypted_checksum <> i.encrypted_checksum or a.decrypted_checksum <> i.decrypted_checksum then 'entered with other checksums'
    when a.payload_date <> t.payload_time - t.payload_time % 86400 then 'entered under another day than that of its time'
    end as detail
  from (select client_id, transfer_config_reference, payload_id, transfer_id, transferred_at, encrypted_checksum, decrypted_checksum
    from transfer_items
    where client_id = $1 and payload_id is not null and transferred_at is not null) i
  full join (select * from transfer_audit where client_id = $1) a using (client_id, transfer_config_reference, payload_id)
  join payloads p using (client_id, payload_id)
  left join (select client_id, transfer_id as run from transfer_runs) r on r.client_id = p.client_id and r.run = a.transfer_id
  cross join lateral (select coalesce(p.claimed_time, p.payload_time) as payload_time) t
  where $2::bigint is null or coalesce(i.transferred_at, a.transferred_at) >= $2`

/** Transfers that contradict themselves: `subject`, `detail`, for $1 client_id and $2 since. */
export const TRANSFER_ROWS = `select * from (${RUNS} union all ${ITEMS} union all ${ENTRIES}) x where detail is not null`
