/** Fields of a payload in the specification, unset. */
export const UNSET_FIELDS = {
  device_ip: null,
  key_id: null,
  encrypted_dek: null,
  s3_path: null,
  checksum: null,
  meta: null,
  all_numbers: null,
  second_party_numbers: null,
  uploaded_at: null,
  processed_at: null,
  transferred_at: null,
  receipt_confirmed_at: null,
  receipt_confirmed_by: null,
  legacy_payload_reference: null,
  legacy_processed_time: null,
  updated_by: null,
}
