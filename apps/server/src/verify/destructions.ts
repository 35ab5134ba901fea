import { STATE_CODES as S } from '../payload-records/codes.ts'

/** Seconds within which what lies outside the database is gone after a destruction. */
const FINISHED_WITHIN = 900

/**
 * Payloads whose destruction the ledger does not tell as it was, or that can still be read after it: `subject`, `detail`; `mine` narrows
 * payloads `p`.
 */
export const brokenDestructions = (mine: string): string => `
  select * from (
    select p.payload_reference as subject, case
        when l.payload_id is null then 'destroyed, and not in the ledger'
        when p.state <> ${S.Destroyed} then 'in the ledger, and not destroyed'
        when i.payload_id is null and e.payload_id is null then 'neither finished nor to be finished'
        when i.payload_id is not null and e.payload_id is not null then 'finished, and still to be finished'
        when i.since < extract(epoch from clock_timestamp()) - ${FINISHED_WITHIN} then 'not finished since ' || i.since
        when l.payload_reference <> p.payload_reference or l.type <> p.type then 'another payload in the ledger'
        when exists (select from payload_envelopes v where v.payload_id = p.payload_id and (v.encrypted_dek <> '' or v.dek_key is not null or v.sealed_meta <> ''))
          then 'what its phone announced is still there'
        when exists (select from payload_comments c where c.client_id = p.client_id and c.payload_id = p.payload_id) then 'comments are still there'
        when l.replayed_at is null and (select v.is_required from destruction_review_versions v
            where v.client_id = p.client_id and v.at < l.destroyed_at order by v.version desc limit 1)
          and not exists (select from destruction_list_items x join destruction_lists y using (client_id, destruction_reference)
            where x.client_id = p.client_id and x.payload_id = p.payload_id and x.state = 'destroyed' and y.released_at <= l.destroyed_at)
          and not exists (select from destruction_review_versions v where v.client_id = p.client_id and v.at = l.destroyed_at)
          then 'destroyed, and nobody had released it'
        when exists (select from destruction_lists y join destruction_list_items x using (client_id, destruction_reference)
            join retention_policies v using (client_id, policy_version)
            where x.client_id = p.client_id and x.payload_id = p.payload_id and x.state = 'destroyed' and v.by = y.released_by)
          then 'released by who had saved the policy'
        when exists (select from payload_marks m where m.client_id = p.client_id and m.payload_id = p.payload_id) then 'marks are still there'
      end as detail
    from payloads p left join destruction_ledger l using (client_id, payload_id) left join destruction_intents i using (client_id, payload_id)
    left join destruction_ends e using (client_id, payload_id)
    where ${mine} and (p.state = ${S.Destroyed} or l.payload_id is not null)) x where detail is not null`
