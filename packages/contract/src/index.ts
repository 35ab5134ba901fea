import { accountEndpoints } from './account.ts'
import { activityEndpoints } from './activities.ts'
import { alertSubscriptionEndpoints } from './alert-subscriptions.ts'
import { alertWebhookEndpoints } from './alert-webhooks.ts'
import { alertEndpoints, internalAlertEndpoints } from './alerts.ts'
import { claimMappingEndpoints, internalClaimMappingEndpoints } from './claim-mapping.ts'
import { clientAppEndpoints } from './client-apps.ts'
import { clientEndpoints } from './clients.ts'
import { commentEndpoints } from './comments.ts'
import { contactEndpoints } from './contacts.ts'
import { dashboardEndpoints } from './dashboard.ts'
import { dataRequestEndpoints } from './data-requests.ts'
import { destructionEndpoints } from './destructions.ts'
import { captureEndpoints } from './device-capture.ts'
import { commandEndpoints, commandDeliveryEndpoints } from './device-commands.ts'
import { deviceHolderEndpoints } from './device-holders.ts'
import { deviceLogEndpoints, logUploadEndpoints } from './device-logs.ts'
import { numberEndpoints, verificationEndpoints } from './device-numbers.ts'
import { deviceUserEndpoints, deviceUserImportEndpoints, deviceUserQueueEndpoints } from './device-users.ts'
import { deviceEndpoints, deviceIdentityEndpoints } from './device.ts'
import { fleetEndpoints } from './devices.ts'
import { getActions, type Endpoint } from './endpoint.ts'
import { enrolmentEndpoints, enrolmentPageEndpoints } from './enrolments.ts'
import { exportEndpoints } from './exports.ts'
import { fleetActEndpoints } from './fleet-acts.ts'
import { gpsEndpoints, gpsUploadEndpoints } from './gps.ts'
import { groupEndpoints } from './groups.ts'
import { legalHoldEndpoints } from './legal-holds.ts'
import { legalMatterEndpoints } from './legal-matters.ts'
import { internalLicenseEndpoints, licenseEndpoints } from './licenses.ts'
import { markEndpoints } from './marks.ts'
import { metricEndpoints } from './metrics.ts'
import { migrationEndpoints } from './migrations.ts'
import { receiptEndpoints } from './payload.ts'
import { payloadEndpoints } from './payloads.ts'
import { peopleEndpoints } from './people.ts'
import { playEndpoints, playheadEndpoints } from './plays.ts'
import { proposalEndpoints } from './proposals.ts'
import { carrierEndpoints, staffEndpoints, statisticsEndpoints } from './provider.ts'
import { recertificationEndpoints } from './recertifications.ts'
import { writeOffEndpoints, restoreEndpoints } from './restore.ts'
import { certificateEndpoints } from './retention-certificates.ts'
import { retentionEndpoints } from './retention.ts'
import { reviewReportEndpoints } from './review-report.ts'
import { internalRoleEndpoints, roleEndpoints } from './roles.ts'
import { sealedLogEndpoints } from './sealed-log.ts'
import { internalSessionEndpoints, sessionEndpoints } from './sessions.ts'
import { internalSupportEndpoints, supportAccessEndpoints } from './support-access.ts'
import { internalSupportSessionEndpoints, supportSessionEndpoints } from './support-sessions.ts'
import { tagEndpoints } from './tags.ts'
import { internalTelemetryEndpoints, telemetryUploadEndpoints, telemetryEndpoints } from './telemetry.ts'
import { threadEndpoints } from './threads.ts'
import { transferConfigEndpoints } from './transfer-configs.ts'
import { reconciliationEndpoints, transferEndpoints } from './transfers.ts'

export * from './access.ts'
export * from './account.ts'
export * from './activities.ts'
export * from './alert-advice.ts'
export * from './alert-subscriptions.ts'
export * from './alert-texts.ts'
export * from './alerts.ts'
export * from './alert-webhooks.ts'
export * from './transfer-configs.ts'
export * from './transfers.ts'
export * from './calling-codes.ts'
export * from './canonical.ts'
export * from './signed-files.ts'
export * from './log-faults.ts'
export * from './provider.ts'
export * from './claim-mapping.ts'
export * from './client-apps.ts'
export * from './clients.ts'
export * from './comments.ts'
export * from './contacts.ts'
export * from './dashboard.ts'
export * from './data-requests.ts'
export * from './device.ts'
export * from './device-holders.ts'
export * from './device-numbers.ts'
export * from './device-commands.ts'
export * from './device-capture.ts'
export * from './device-logs.ts'
export * from './device-users.ts'
export * from './devices.ts'
export * from './endpoint.ts'
export * from './enrolments.ts'
export * from './fleet-acts.ts'
export * from './failures.ts'
export * from './fault.ts'
export * from './to-faults.ts'
export * from './gps.ts'
export * from './groups.ts'
export * from './restore.ts'
export * from './legal-holds.ts'
export * from './legal-matters.ts'
export * from './licenses.ts'
export * from './log-sentences.ts'
export * from './log-variants.ts'
export * from './metrics.ts'
export * from './migration-results.ts'
export * from './migrations.ts'
export * from './marks.ts'
export * from './review-report.ts'
export * from './named-recording.ts'
export * from './pages.ts'
export * from './people.ts'
export * from './recertifications.ts'
export * from './permission-words.ts'
export * from './payload-meta.ts'
export * from './payload.ts'
export * from './payload-types.ts'
export * from './payloads.ts'
export * from './phrases.ts'
export * from './plays.ts'
export * from './fault-phrases.ts'
export * from './problems.ts'
export * from './exports.ts'
export * from './csv-text.ts'
export * from './destructions.ts'
export * from './proposals.ts'
export * from './proposed.ts'
export * from './retention.ts'
export * from './retention-certificates.ts'
export * from './roles.ts'
export * from './scalars.ts'
export * from './sealed-log.ts'
export * from './sessions.ts'
export * from './sign-in-facts.ts'
export * from './support-access.ts'
export * from './support-sessions.ts'
export * from './tags.ts'
export * from './telemetry.ts'
export * from './telemetry-facts.ts'
export * from './threads.ts'

/** The endpoint table: every call of the system, by name. */
export const api = {
  ...sessionEndpoints,
  ...accountEndpoints,
  ...dashboardEndpoints,
  ...deviceUserEndpoints,
  ...deviceUserImportEndpoints,
  ...deviceUserQueueEndpoints,
  ...fleetEndpoints,
  ...deviceHolderEndpoints,
  ...numberEndpoints,
  ...commandEndpoints,
  ...enrolmentEndpoints,
  ...enrolmentPageEndpoints,
  ...fleetActEndpoints,
  ...captureEndpoints,
  ...deviceLogEndpoints,
  ...gpsEndpoints,
  ...metricEndpoints,
  ...migrationEndpoints,
  ...telemetryEndpoints,
  ...groupEndpoints,
  ...roleEndpoints,
  ...peopleEndpoints,
  ...recertificationEndpoints,
  ...tagEndpoints,
  ...claimMappingEndpoints,
  ...clientAppEndpoints,
  ...writeOffEndpoints,
  ...legalHoldEndpoints,
  ...legalMatterEndpoints,
  ...dataRequestEndpoints,
  ...proposalEndpoints,
  ...retentionEndpoints,
  ...certificateEndpoints,
  ...destructionEndpoints,
  ...activityEndpoints,
  ...sealedLogEndpoints,
  ...supportAccessEndpoints,
  ...supportSessionEndpoints,
  ...alertEndpoints,
  ...alertSubscriptionEndpoints,
  ...alertWebhookEndpoints,
  ...transferConfigEndpoints,
  ...transferEndpoints,
  ...reconciliationEndpoints,
  ...licenseEndpoints,
  ...payloadEndpoints,
  ...threadEndpoints,
  ...contactEndpoints,
  ...commentEndpoints,
  ...markEndpoints,
  ...reviewReportEndpoints,
  ...playheadEndpoints,
  ...playEndpoints,
  ...receiptEndpoints,
  ...restoreEndpoints,
  ...exportEndpoints,
  ...deviceEndpoints,
  ...deviceIdentityEndpoints,
  ...commandDeliveryEndpoints,
  ...logUploadEndpoints,
  ...gpsUploadEndpoints,
  ...telemetryUploadEndpoints,
  ...internalSessionEndpoints,
  ...clientEndpoints,
  ...internalClaimMappingEndpoints,
  ...internalRoleEndpoints,
  ...carrierEndpoints,
  ...statisticsEndpoints,
  ...staffEndpoints,
  ...verificationEndpoints,
  ...internalSupportEndpoints,
  ...internalSupportSessionEndpoints,
  ...internalAlertEndpoints,
  ...internalLicenseEndpoints,
  ...internalTelemetryEndpoints,
}
export type Api = typeof api

/** A power that is also the action of a call of groups concerns groups. */
const actionsOfAccount = (rows: Readonly<Record<string, Endpoint>>): ReadonlySet<string> => {
  const all = Object.values(rows)
  const ofGroups = new Set(
    all.flatMap(({ concerns, action }) => (concerns === 'groups' ? getActions({ action }) : [])),
  )
  return new Set(
    all
      .filter(({ concerns }) => concerns === 'account')
      .flatMap(({ action, powers = [] }) => [
        ...getActions({ action }),
        ...powers.filter((power) => !ofGroups.has(power)),
      ]),
  )
}

/** Actions that concern no group: a condition on groups grants them nowhere. */
export const ACCOUNT_ACTIONS = /* @__PURE__ */ actionsOfAccount(api)

const actionsOpenTo = (
  caller: 'support' | 'matters',
  rows: Readonly<Record<string, Endpoint>>,
): ReadonlySet<string> =>
  new Set(
    Object.values(rows).flatMap((row) => (row[caller] === true ? getActions({ action: row.action }) : [])),
  )

/** Actions that staff of the provider may have in support mode; the approved role decides which of them they have. */
export const SUPPORT_ACTIONS = /* @__PURE__ */ actionsOpenTo('support', api)

/** Actions that people may have whose access is limited to legal matters. */
export const MATTER_ACTIONS = /* @__PURE__ */ actionsOpenTo('matters', api)
export type EndpointName = keyof Api
