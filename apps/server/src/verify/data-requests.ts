/**
 * Data subject requests that contradict their person, copies or times: `subject`, `detail`, for $1 client_id and $2
 * since (all are examined).
 */
export const DATA_REQUESTS = `
  select r.data_request_id as subject, case
      when u.device_user_reference <> r.subject then 'names another person than its subject'
      when r.closed_at < r.opened_at then 'ended before it was entered'
      else 'was copied before it was entered, or once it had ended' end as detail
  from data_requests r
  left join device_users u using (client_id, device_user_id)
  where r.client_id = $1 and $2::bigint is not distinct from $2 and (
    u.device_user_reference <> r.subject or r.closed_at < r.opened_at
    or exists (select from data_request_copies c where c.client_id = r.client_id and c.data_request_id = r.data_request_id
      and (r.kind = 'Erasure' or r.subject_type = 'PortalUser' or c.made_at < r.opened_at - 60 or c.made_at > r.closed_at + 60)))`
