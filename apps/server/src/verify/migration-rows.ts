import { typesOf } from '../migrations/store.ts'

/** Runs that differ from their results: counts, state, and sample. */
const RUNS = `
  select 'migration ' || r.migration_reference as subject, case
    when r.sequence <> m.results then r.sequence || ' results counted, and ' || m.results || ' there'
    when c.counted is distinct from m.counted then 'its results are counted otherwise by type'
    when r.migration_state = 'Migrated' and m.errors > 0 then 'migrated, with ' || m.errors || ' errors'
    when r.is_dry_run and m.payloads > 0 then 'a dry run that imported ' || m.payloads || ' recordings'
    when r.settled_by is not null and not exists (select from migration_runs k where k.client_id = r.client_id and k.migration_reference = r.settled_by
      and k.migration_state = 'Migrated' and not k.is_dry_run) then 'settled by a run that imported nothing, or had errors'
    when s.strange > 0 then 'a sample with ' || s.strange || ' recordings that it did not import'
    end as detail
  from migration_runs r
  cross join lateral (select coalesce(jsonb_object_agg(key, (value -> 'count')::int), '{}') as counted from jsonb_each(r.results)) c
  cross join lateral (select coalesce(sum(n), 0)::int as results, coalesce(sum(n) filter (where result_type in (${typesOf('error')})), 0)::int as errors,
      coalesce(sum(payloads), 0)::int as payloads, coalesce(jsonb_object_agg(result_type, n), '{}') as counted
    from (select result_type, count(*)::int as n, count(payload_id)::int as payloads from migration_results m
      where m.client_id = r.client_id and m.migration_reference = r.migration_reference group by result_type) g) m
  cross join lateral (select count(*)::int as strange from migration_samples s
    where s.client_id = r.client_id and s.migration_reference = r.migration_reference and not exists (select from migration_results m
      where m.client_id = s.client_id and m.migration_reference = s.migration_reference and m.payload_id = s.payload_id)) s
  where r.client_id = $1 and r.migrated_at is not null and ($2::bigint is null or r.migrated_at >= $2)`

/** Imports that differ from their source rows or references. */
const IMPORTS = `
  select 'payload ' || p.payload_reference as subject, case
    when not p.is_legacy then 'came with a migration, and is not of the legacy platform'
    when o.checksum <> m.source_sha256 then 'is stored with another digest than its source had'
    when l.payload_reference <> p.payload_reference then 'is known as another recording of the legacy platform'
    end as detail
  from migration_results m join payloads p using (client_id, payload_id)
  left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = 'original'
  left join legacy_payloads l on l.client_id = p.client_id and l.payload_id = p.payload_id
  where m.client_id = $1 and ($2::bigint is null or p.updated_at >= $2)`

/** Migrations that contradict themselves: `subject`, `detail`, for $1 client_id and $2 since. */
export const MIGRATION_ROWS = `select * from (${RUNS} union all ${IMPORTS}) x where detail is not null`
