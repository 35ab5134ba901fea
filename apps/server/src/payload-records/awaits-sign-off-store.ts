/** SQL: whether payload `p` belongs to an unaccepted migration run, or took its data from one. */
export const AWAITS_SIGN_OFF = `(p.is_legacy and exists (select from migration_results m join migration_runs g using (client_id, migration_reference)
  where m.client_id = p.client_id and m.payload_id = p.payload_id and g.signed_off_at is null))`
