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
    end as detail
  from transfer_items i join transfer_runs r using (client_id, transfer_id)
  cross join lateral (select (array_agg(transfer_state order by attempt desc))[1] as last,
      min(attempted_at) filter (where transfer_state = 'Succeeded') as first_success
    from transfer_attempts a where a.client_id = i.client_id and a.transfer_id = i.transfer_id and a.item = i.item) a
  where i.client_id = $1 and ($2::bigint is null or coalesce(r.completed_at, $2) >= $2)`

/** Transfers that contradict themselves: `subject`, `detail`, for $1 client_id and $2 since. */
export const TRANSFER_ROWS = `select * from (${RUNS} union all ${ITEMS}) x where detail is not null`
