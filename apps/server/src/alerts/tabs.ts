import type { AlertTextCode, DeviceTab, UserTab } from '@custodia/contract'

/** Where an alert is explained: on a tab of the device, of the person, or (nothing) on the pages themselves. */
interface Tabs {
  Device?: DeviceTab
  DeviceUser?: UserTab
}

const GAP: Tabs = { Device: 'telemetry', DeviceUser: 'capture' }
const RECORDED: Tabs = { Device: 'recordings', DeviceUser: 'recordings' }
const ITSELF: Tabs = {}

/** Of each alert that there is: a new one without a place does not compile. */
const ALERT_TABS: Readonly<Record<AlertTextCode, Tabs>> = {
  notification: ITSELF,
  payload_failed: RECORDED,
  payload_escalated: RECORDED,
  payload_altered: RECORDED,
  payload_infected: RECORDED,
  device_ahead: RECORDED,
  device_waits_other_key: ITSELF,
  device_waits_without_key: ITSELF,
  device_waits_unproved: ITSELF,
  keyless_device_refused: ITSELF,
  keyless_device_as_another: ITSELF,
  device_waits_holder: ITSELF,
  device_waits_beyond_expected: ITSELF,
  device_hardware_of_another: ITSELF,
  device_names_nobody: ITSELF,
  number_twice: ITSELF,
  blocked_device_seen: ITSELF,
  enrolment_tried_used: ITSELF,
  enrolment_tried_revoked: ITSELF,
  enrolment_tried_expired: ITSELF,
  phone_reports: { Device: 'logs' },
  mass_playing: ITSELF,
  mass_downloading: ITSELF,
  mass_exporting: ITSELF,
  webhook_gave_up: ITSELF,
  mail_gave_up: ITSELF,
  proposal_waits: ITSELF,
  data_request_due: ITSELF,
  destruction_waits: ITSELF,
  migration_failed: ITSELF,
  migration_quarantined: ITSELF,
  transfer_failed: ITSELF,
  transfer_host_key: ITSELF,
  transfer_late: ITSELF,
  transfer_unreconciled: ITSELF,
  transfer_key_expires: ITSELF,
  retention_waits: ITSELF,
  retention_behind: ITSELF,
  licenses_short: ITSELF,
  licenses_nearly_used: ITSELF,
  licenses_used_up: ITSELF,
  user_has_fewer: ITSELF,
  user_has_more: ITSELF,
  leaver_records: RECORDED,
  leaver_queue: ITSELF,
  capture_no_phone: GAP,
  capture_unlicensed: GAP,
  capture_silent: GAP,
  capture_service_off: GAP,
  capture_not_allowed: GAP,
  capture_no_device_admin: GAP,
  capture_no_sim: GAP,
  capture_brings_nothing: GAP,
  device_silent: ITSELF,
  device_brings_nothing: ITSELF,
  device_late: RECORDED,
  processing_stalls: ITSELF,
  reference_reused: RECORDED,
  data_damaged: RECORDED,
  archive_damaged: ITSELF,
  archive_unverified: ITSELF,
  job_failed: ITSELF,
  backup_failed: ITSELF,
  log_has_hole: ITSELF,
  space_low: ITSELF,
  identity_provider_changed: ITSELF,
  identity_provider_change_seconded: ITSELF,
  identity_secret_changed: ITSELF,
  support_requested: ITSELF,
  support_approved: ITSELF,
  role_used: ITSELF,
  escalated_by_role: ITSELF,
  escalated_by_role_deletion: ITSELF,
  escalated_by_group: ITSELF,
  escalated_by_tag: ITSELF,
  escalated_by_tag_deletion: ITSELF,
  escalated_by_move: ITSELF,
  escalated_by_confirmation: ITSELF,
  escalated_by_defaults: ITSELF,
  escalated_by_app: ITSELF,
}

/** The tabs of an alert by the code of its text; none for a code of before. */
export const tabsOf = (code: string | undefined): Tabs =>
  code !== undefined && Object.hasOwn(ALERT_TABS, code) ? ALERT_TABS[code as AlertTextCode] : ITSELF
