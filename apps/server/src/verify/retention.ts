/**
 * Retention policies that do not follow each other, and minimums of the law that fell or went: `subject`, `detail`, for $1 client_id and $2
 * since (all are looked at).
 */
export const POLICIES = `
  with p as (
    select *, lag(policy_version) over w as before, lag(at) over w as at_before, lag(minimums) over w as minimums_before
    from retention_policies where client_id = $1 and $2::bigint is not distinct from $2 window w as (order by policy_version)
  )
  select 'version ' || policy_version as subject, 'does not follow the version before' as detail from p
  where policy_version <> coalesce(before, 0) + 1 or at < at_before
  union all
  select 'version ' || policy_version, 'the minimum of ' || (m ->> 'payload_type') || ' fell' from p
  cross join lateral jsonb_array_elements(minimums_before) m
  where (m ->> 'days')::int > coalesce(
    (select (n ->> 'days')::int from jsonb_array_elements(minimums) n where n ->> 'payload_type' = m ->> 'payload_type'), -1)`
