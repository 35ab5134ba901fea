// Made from the migrations by describe-schema.ts: change them, then run its test with UPDATE_SCHEMA=1.
import type { Generated, GeneratedAlways } from 'kysely'
import type { Json, JsonOrDefault, JsonOrNull } from './column-types.ts'

export interface AccountDefaultsTable {
  client_id: number
  group_id: number
  role: string | null
  cidr_ranges: Generated<string[]>
  updated_at: number | null
  updated_by: string | null
}

export interface AlertDismissalsTable {
  client_id: number
  alert_reference: string
  portal_user: string
  dismissed_at: number
}

export interface AlertsTable {
  client_id: number
  alert_reference: string
  alert_scope: string
  alert_type: string
  alert_subject: string
  alert_key: string
  alert_message: string
  alert_state: Generated<string>
  alert_severity: string
  related_entities: JsonOrDefault
  occurrences: JsonOrDefault
  occurrence_count: Generated<number>
  first_occurrence: number
  last_occurrence: number
  alert_text: JsonOrNull
  api_action: string | null
  group_id: number | null
  expires_after: number | null
  cleared_reason: string | null
  cleared_at: number | null
  cleared_by: string | null
}

export interface CarrierSightingsTable {
  client_id: number
  country_code: number
  carrier_name: string
  first_seen: number
  last_seen: number
}

export interface ClientAppsTable {
  client_id: number
  app_reference: string
  issuer: string
  audience: string
  jwks_uri: string
  group_id: number | null
  roles: string[]
  cidr_ranges: Generated<string[]>
  last_seen: number | null
  updated_at: number
  updated_by: string
}

export interface ClientKeysTable {
  key_id: string
  client_id: number
  public_key: string
  created_at: number
  retired_at: number | null
}

export interface ClientLicensesTable {
  client_id: number
  limits: Json
  updated_at: number
  updated_by: string
}

export interface ClientsTable {
  client_id: GeneratedAlways<number>
  client: string
  client_name: string
  is_provider: Generated<boolean>
  account_key: Buffer
  oidc_issuer: string | null
  oidc_client_id: string | null
  oidc_client_secret: Buffer | null
  access_epoch: Generated<number>
  created_at: number
}

export interface DataAddressesTable {
  address_id: string
  client_id: number
  payload_id: number
  kind: string
  action: string
  portal_user: string
  session_id: string | null
  expires_at: number
  first_used_at: number | null
  app_reference: string | null
  support_reference: string | null
  used_from: Generated<string[]>
}

export interface DeviceActivitiesTable {
  log_id: string
  client_id: number
  device_ip: string
  device_reference: string
  device_user_reference: string | null
  activity_time: number
  activity_end_time: number | null
  duration: number | null
  group_reference: string | null
  action: string
  is_allowed: boolean
  denial_reason: string | null
  parameters: string
  status_code: number | null
  request_id: string
  group_id: number | null
}

export interface DeviceHistoryTable {
  client_id: number
  device_id: number
  from_at: number
  to_at: number | null
  device_user_id: number | null
  group_id: number
}

export interface DeviceTokensTable {
  token_hash: Buffer
  client_id: number
  device_id: number
  expires_at: number
}

export interface DeviceUlidsTable {
  client_id: number
  ulid: string
  used_at: number
}

export interface DeviceUsersTable {
  device_user_id: GeneratedAlways<number>
  client_id: number
  device_user_reference: string
  group_id: number
  services: Generated<string[]>
  expected_device_count: Generated<number>
  email: string | null
  first_name: string | null
  surname: string | null
  is_active: Generated<boolean>
  onboard_date: number | null
  offboard_date: number | null
  is_legacy: Generated<boolean>
  updated_at: number
  updated_by: string
}

export interface DevicesTable {
  device_id: GeneratedAlways<number>
  client_id: number
  device_reference: string
  device_user_id: number | null
  group_id: number
  services: Generated<string[]>
  imeis: Generated<string[]>
  phone_numbers: JsonOrDefault
  email: string | null
  last_seen: number | null
  is_deactivated: Generated<boolean>
  deactivation_date: number | null
  activated_at: number | null
  is_legacy: Generated<boolean>
  legacy_phone_number: string | null
  model: string | null
  os_version: string | null
  app_version: string | null
  serial_number: string | null
  fcm_token: string | null
  installation_id: string | null
  updated_at: number
  updated_by: string
}

export interface GroupTagsTable {
  client_id: number
  group_id: number
  tag_key: string
  tag_value: string
}

export interface GroupsTable {
  group_id: GeneratedAlways<number>
  client_id: number
  group_reference: string
  updated_at: number
  updated_by: string
}

export interface OidcItemsTable {
  model: string
  id: string
  payload: Json
  grant_id: string | null
  uid: string | null
  user_code: string | null
  expires_at: number | null
}

export interface OidcPeopleTable {
  client: string
  user_reference: string
  password_hash: string
  roles: string[]
  user_group: string | null
  groups: string[] | null
  description: string
}

export interface PayloadAuditTable {
  client_id: number
  payload_id: number
  at: number
  log_id: string
  portal_user: string
  action: string
}

export interface PayloadChangesTable {
  payload_id: number
  client_id: number
  service: number
  group_id: number
  type: number
  updated_at: number
}

export interface PayloadCountsTable {
  client_id: number
  grain: string
  bucket: number
  service: number
  type: number
  group_id: number
  count: number
}

export interface PayloadDocumentsTable {
  payload_id: number
  client_id: number
  list_doc: string
  meta: string
  thread_id: string | null
  second_party_numbers: Generated<string>
  all_numbers: Generated<string>
}

export interface PayloadEnvelopesTable {
  payload_id: number
  client_id: number
  key_id: string
  encrypted_dek: string
  iv: string
  sealed_meta: Buffer
  checksum: string | null
  size: number | null
  device_ip: string | null
  fingerprint: Buffer
}

export interface PayloadHistoryTable {
  client_id: number
  payload_id: number
  at: number
  from_state: number | null
  to_state: number
  reason: string | null
  by: string
}

export interface PayloadNumbersTable {
  client_id: number
  number_hash: number
  service: number
  payload_time: number
  payload_id: number
  group_id: number
  type: number
  is_second: boolean
}

export interface PayloadObjectsTable {
  client_id: number
  payload_id: number
  kind: string
  object_key: string
  wrapped_dek: Buffer | null
  sealed_size: number
  size: number
  content_type: string
  checksum: string | null
  details: JsonOrDefault
  created_at: number
}

export interface PayloadReceiptsTable {
  client_id: number
  payload_id: number
  client_app_user: string
  confirmed_at: number
}

export interface PayloadStatesTable {
  code: number
  name: string
}

export interface PayloadTotalsTable {
  client_id: number
  grain: string
  bucket: number
  service: number
  type: number
  slot: number
  count: number
}

export interface PayloadTransitionsTable {
  from_state: number
  to_state: number
}

export interface PayloadTypesTable {
  code: number
  name: string
  service: number
}

export interface PayloadWorkTable {
  client_id: number
  payload_id: number
  since: number
  checked_at: Generated<number>
  nudges: Generated<number>
}

export interface PayloadsTable {
  payload_id: GeneratedAlways<number>
  client_id: number
  payload_reference: string
  service: number
  type: number
  state: number
  state_before_deletion: number | null
  payload_time: number
  payload_end_time: number | null
  group_id: number
  device_id: number
  device_user_id: number | null
  is_late: Generated<boolean>
  is_legacy: Generated<boolean>
  announced_at: number
  uploaded_at: number | null
  processed_at: number | null
  restored_at: number | null
  updated_at: number
  updated_by: string | null
  failure: string | null
  rejected_count: Generated<number>
}

export interface PhoneVerificationsTable {
  code_hash: Buffer
  client_id: number
  device_id: number
  expires_at: number
  verified_at: number | null
  phone_number: string | null
}

export interface PortalActivitiesTable {
  log_id: string
  client_id: number
  user_reference: string
  user_ip: string
  activity_time: number
  activity_end_time: number | null
  browser: string | null
  duration: number | null
  user_group: string | null
  roles: Generated<string[]>
  action: string
  is_allowed: boolean
  is_client_app: Generated<boolean>
  denial_reason: string | null
  parameters: string
  status_code: number | null
  support_reference: string | null
  request_id: string
  group_id: number | null
}

export interface PortalSessionsTable {
  session_id: string
  client_id: number
  user_reference: string
  roles: string[]
  user_group: string | null
  groups: string[] | null
  refresh_hash: Buffer
  rotation: Generated<number>
  rotated_at: number
  provider_tokens: string | null
  checked_at: number
  created_at: number
  expires_at: number
  ended_at: number | null
  end_reason: string | null
}

export interface RolesTable {
  client_id: number
  role_reference: string
  document: Json
  updated_at: number
  updated_by: string
}

export interface SigningKeysTable {
  name: string
  wrapped_key: Buffer
  created_at: number
}

export interface StatisticsTable {
  is_newest: Generated<boolean>
  document: Json
  updated_at: number
}

export interface SupportAccessTable {
  client_id: number
  request_reference: string
  role: string
  request_description: string
  requested_expiry: number
  requested_by: string
  requested_at: number
  approval_state: Generated<string>
  approval_expiry: number | null
  approved_by: string | null
  rejection_reason: string | null
  updated_at: number
  updated_by: string
}

export interface TagDefinitionsTable {
  client_id: number
  tag_key: string
  tag_values: string[] | null
  is_required: boolean
  default_value: string | null
  updated_at: number
  updated_by: string
}

export interface TermsAcceptancesTable {
  client_id: number
  user_reference: string
  version: string
  accepted_at: number
}

/** Tables by name, for the query builder. */
export interface Schema {
  account_defaults: AccountDefaultsTable
  alert_dismissals: AlertDismissalsTable
  alerts: AlertsTable
  carrier_sightings: CarrierSightingsTable
  client_apps: ClientAppsTable
  client_keys: ClientKeysTable
  client_licenses: ClientLicensesTable
  clients: ClientsTable
  data_addresses: DataAddressesTable
  device_activities: DeviceActivitiesTable
  device_history: DeviceHistoryTable
  device_tokens: DeviceTokensTable
  device_ulids: DeviceUlidsTable
  device_users: DeviceUsersTable
  devices: DevicesTable
  group_tags: GroupTagsTable
  groups: GroupsTable
  oidc_items: OidcItemsTable
  oidc_people: OidcPeopleTable
  payload_audit: PayloadAuditTable
  payload_changes: PayloadChangesTable
  payload_counts: PayloadCountsTable
  payload_documents: PayloadDocumentsTable
  payload_envelopes: PayloadEnvelopesTable
  payload_history: PayloadHistoryTable
  payload_numbers: PayloadNumbersTable
  payload_objects: PayloadObjectsTable
  payload_receipts: PayloadReceiptsTable
  payload_states: PayloadStatesTable
  payload_totals: PayloadTotalsTable
  payload_transitions: PayloadTransitionsTable
  payload_types: PayloadTypesTable
  payload_work: PayloadWorkTable
  payloads: PayloadsTable
  phone_verifications: PhoneVerificationsTable
  portal_activities: PortalActivitiesTable
  portal_sessions: PortalSessionsTable
  roles: RolesTable
  signing_keys: SigningKeysTable
  statistics: StatisticsTable
  support_access: SupportAccessTable
  tag_definitions: TagDefinitionsTable
  terms_acceptances: TermsAcceptancesTable
}
