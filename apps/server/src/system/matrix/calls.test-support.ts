import {
  api,
  DEFAULT_CLAIM_MAPPING,
  DEVICE_SERVICES,
  type Endpoint,
  type EndpointName,
  fullPath,
  TERMS_VERSION,
} from '@custodia/contract'
import { roleInput } from '../../testing/access-fixture.ts'
import {
  DELIVERY_REFERENCE,
  REFERENCES,
  SESSION_ID,
  type Target,
  TARGETS,
  TELEMETRY_ID,
} from './references.test-support.ts'

export interface Call {
  name: string
  method: Endpoint['method']
  target: Target
  url: string
  body: unknown
  /** Whether the targets must be restored afterwards. */
  changes: boolean
}

const RULES = {
  ...roleInput([{ actions_matching: ['payloads:list'] }]),
}
const TAG = { tag_values: null, is_required: false, default_value: null }
/** Where the client apps that calls save would come from. */
export const APP_ORIGIN = 'https://apps.example'
const OIDC = { issuer: APP_ORIGIN, audience: 'custodia', jwks_uri: `${APP_ORIGIN}/jwks` }
const APP = { oidc_config: OIDC, group: null, roles: ['Receipt App'], cidr_ranges: [] }
const WEBHOOK = {
  description: 'Matrix',
  url: APP_ORIGIN,
  alert_scopes: ['ops'],
  min_severity: 'Low',
  is_active: false,
}
const SUBSCRIPTION = {
  language: 'en-GB',
  low: 'never',
  medium: 'daily',
  high: 'at_once',
  digest_hour: 6,
  address_source: 'claimed',
}
const TRANSFER_CONFIG = {
  transfer_type: 'Payload',
  payload_types: ['Call'],
  schedule: null,
  pgp_key: null,
  transfer_file_format: 'Uncompressed',
  role_reference: 'Compliance Manager',
  params: {
    target_type: 'S3',
    destination: 's3://matrix',
    region: 'eu-west-1',
    iam_role_arn: 'arn:aws:iam::123456789012:role/matrix',
  },
  is_active: true,
}
const DEFAULTS = { user_group: 'Own', role: null, cidr_ranges: [] }
const getPerson = (reference: string) => ({
  group: reference.includes('foreign') ? 'Foreign' : 'Own',
  services: [],
  email: null,
  first_name: 'Matrix',
  surname: null,
})
const IN_AN_HOUR = Math.floor(Date.now() / 1000) + 3600

/** Bodies that pass validation, so that rights alone decide. `reference` is the target's, where the body names one. */
const BODIES: Partial<Record<EndpointName, (reference: string) => unknown>> = {
  createExport: () => ({}),
  noteExport: () => ({ list: 'readProfile', format: 'csv' }),
  acceptTerms: () => ({ version: TERMS_VERSION }),
  saveGroup: () => ({ tags: [] }),
  reviewGroup: () => ({ tags: [] }),
  saveRole: () => RULES,
  reviewRole: () => RULES,
  saveTag: () => TAG,
  reviewTag: () => TAG,
  saveAccountDefaults: () => DEFAULTS,
  reviewAccountDefaults: () => DEFAULTS,
  confirmDeviceHolder: () => ({ decision: 'confirm' }),
  decideDeviceHolders: () => ({ decision: 'confirm', rows: [{ device_reference: 'unknown' }] }),
  reviewDeviceHolders: () => ({ decision: 'confirm', rows: [{ device_reference: 'unknown' }] }),
  createEnrolment: () => ({ expires_in_days: 1 }),
  createEnrolmentOfUser: () => ({ expires_in_days: 1 }),
  enrolUsers: (reference) => ({ device_user_references: [reference], channel: 'sheet', expires_in_days: 1 }),
  deactivateDevices: (reference) => ({ device_references: [reference] }),
  changeDeviceUsers: (reference) => ({
    order: { change: 'remove_services', services: ['photos'] },
    device_user_references: [reference],
  }),
  reviewDeviceUserChanges: (reference) => ({
    order: { change: 'offboard' },
    device_user_references: [reference],
  }),
  importDeviceUsers: () => ({ rows: [{ device_user_reference: 'matrix import', group: 'Own' }] }),
  reviewDeviceUserImport: () => ({ rows: [{ device_user_reference: 'matrix import', group: 'Own' }] }),
  createDeviceUser: getPerson,
  updateDeviceUser: getPerson,
  createClientApp: () => APP,
  updateClientApp: () => APP,
  reviewClientApp: () => APP,
  testClientAppToken: () => ({ token: 'no.such.token', oidc_config: OIDC }),
  decideSupportAccess: () => ({ approval_state: 'rejected', rejection_reason: 'Not now' }),
  clearAlerts: (reference) => ({ alert_references: [reference], cleared_reason: 'Seen' }),
  dismissAlerts: (reference) => ({ alert_references: [reference] }),
  clearAlertsOfClient: (reference) => ({ alert_references: [reference], cleared_reason: 'Seen' }),
  dismissAlertsOfClient: (reference) => ({ alert_references: [reference] }),
  sendCommand: () => ({ command: 'sync_data', params: {} }),
  sendCommands: (reference) => ({
    order: { command: 'sync_data', params: {} },
    device_references: [reference],
  }),
  uploadLogs: () => ({}),
  uploadGps: () => ({}),
  uploadTelemetry: () => ({}),
  reportAlert: () => ({}),
  reportCommand: () => ({ state: 'Completed' }),
  addComment: () => ({ message: 'Matrix' }),
  updateComment: () => ({ message: 'Matrix, again' }),
  addMark: () => ({ mark: 'reviewed' }),
  markPayloads: (reference) => ({ mark: 'flagged', payload_references: [reference] }),
  markConversations: (reference) => ({ mark: 'reviewed', payload_references: [reference] }),
  withdrawMarks: (reference) => ({ mark_ids: [reference] }),
  reportPlay: () => ({ parts: [{ from: 0, to: 2 }] }),
  savePlayhead: () => ({ playhead: 5 }),
  decideMark: () => ({ result: 'Matrix' }),
  saveReviewSettings: () => ({ reasons: ['Matrix'], min_share: 50, requires_share: false }),
  restorePayloads: (reference) => ({ payload_references: [reference] }),
  confirmReceipts: (reference) => ({ payload_references: [reference] }),
  searchPayloads: () => ({ words: 'unknown' }),
  readSnippets: (reference) => ({ words: 'unknown', payload_references: [reference] }),
  searchComments: () => ({ words: 'unknown' }),
  // Of a client that is there already: rights alone decide.
  createClient: () => ({
    client: 'globex',
    client_name: 'Matrix',
    limits: Object.fromEntries(DEVICE_SERVICES.map((service) => [service, 1])),
    identity: null,
    first_administrator: 'matrix',
  }),
  suspendClient: () => ({ reason: 'Matrix' }),
  saveClientIdentity: () => ({ identity: null }),
  savePersonRoles: () => ({ roles: [], groups: null }),
  reviewPersonRoles: () => ({ roles: [], groups: null }),
  saveClaimMapping: () => DEFAULT_CLAIM_MAPPING,
  reviewClaimMapping: () => DEFAULT_CLAIM_MAPPING,
  previewClaims: () => ({ token: '{"sub":"matrix"}', mapping: DEFAULT_CLAIM_MAPPING }),
  previewClaimsOfClient: () => ({ token: '{"sub":"matrix"}', mapping: DEFAULT_CLAIM_MAPPING }),
  secondClientIdentity: () => ({ proposal_id: REFERENCES.proposal_id?.missing }),
  saveLicenses: () => ({ limits: Object.fromEntries(DEVICE_SERVICES.map((service) => [service, 1])) }),
  saveAlertSubscription: () => SUBSCRIPTION,
  checkAlertAddress: () => ({ address: 'matrix@bank.example', language: 'en-GB' }),
  confirmAlertAddress: () => ({ code: '00000000' }),
  createAlertWebhook: () => WEBHOOK,
  updateAlertWebhook: () => WEBHOOK,
  createTransferConfig: () => TRANSFER_CONFIG,
  updateTransferConfig: () => TRANSFER_CONFIG,
  reviewTransferConfig: () => TRANSFER_CONFIG,
  // The egress guard refuses this address, so no request is sent.
  testTransferTarget: () => ({
    params: {
      target_type: 'SFTP',
      server: '127.0.0.1',
      username: 'matrix',
      root_directory: '/',
      host_key: null,
    },
  }),
  saveMigrationSettings: () => ({
    disable_onboarding: false,
    disable_offboarding: false,
    disable_payloads: false,
  }),
  signMigration: () => ({ explanation: 'as expected' }),
  createMigration: () => ({ is_dry_run: true }),
  uploadMigrationFile: () => ({
    filename: 'media/matrix.txt',
    size: 2,
    offset: 0,
    content: 'YQ==',
    sha256: 'ab'.repeat(32),
  }),
  setLegalHold: () => ({}),
  openDataRequest: () => ({
    kind: 'Access',
    law: 'GDPR',
    subject_type: 'Number',
    subject: '+440000000000',
    received_at: Math.floor(Date.now() / 1000) - 60,
  }),
  copyDataRequest: () => ({}),
  closeDataRequest: () => ({ state: 'Withdrawn', reason: 'Matrix' }),
  openLegalMatter: () => ({ name: 'Matrix' }),
  startRecertification: () => ({ name: 'Matrix', due_at: Math.floor(Date.now() / 1000) + 86_400 }),
  decideRecertification: () => ({
    user_references: ['matrix user'],
    decision: 'confirmed',
    reason: 'Matrix',
  }),
  holdMatterPeople: () => ({ people: [{ target_type: 'PortalUser', target: 'matrix unknown' }] }),
  holdMatterRecordings: () => ({ all: true }),
  holdMatterUsers: () => ({ device_user_references: ['unknown'] }),
  holdMatterDevices: () => ({ device_references: ['unknown'] }),
  saveDestructionReview: () => ({ is_required: false }),
  changeDestruction: () => ({ payload_references: ['0'.repeat(26)], is_taken_out: true, reason: 'Matrix' }),
  // Of a list that looked otherwise: rights alone decide.
  releaseDestruction: () => ({ version: 'matrix' }),
  rejectProposal: () => ({ reason: 'Matrix' }),
  // As it is.
  saveTwoPeople: () => ({ is_required: false }),
  saveRetention: () => ({ entries: [] }),
  reviewRetention: () => ({ entries: [] }),
  pauseRetention: () => ({ is_paused: false, reason: 'Matrix' }),
  requestSupportAccess: () => ({
    role: 'Support Metadata',
    request_description: 'To look into it',
    requested_expiry: IN_AN_HOUR,
  }),
  notifyClients: () => ({
    scope: 'ops',
    severity: 'Low',
    message: 'Matrix',
    expires_after: null,
    clients: ['acme'],
  }),
  authenticateDevice: () => ({}),
  exchangeDeviceCode: () => ({}),
  announcePayloads: () => ({}),
  readPayloadStatus: () => ({}),
  verify: () => ({ phone_number: '+441', verification_code: 'X'.repeat(26) }),
  openEnrolment: () => ({
    account_reference: 'acme',
    enrolment: `01ARZ3NDEKTSV4RRFFQ69G5FAV.${'A'.repeat(43)}`,
  }),
}

/** Calls that read although their method is POST: previews, and searches whose text is a secret. */
export const READS_BY_POST = new Set<EndpointName>([
  'readSnippets',
  'reviewGroup',
  'reviewRetention',
  'reviewTag',
  'searchComments',
  'searchPayloads',
])

/** Calls that name their object in the body or query, or name an object of the provider. */
const AIMED_BY: Partial<Record<EndpointName, string>> = {
  clearAlerts: 'alert_reference',
  dismissAlerts: 'alert_reference',
  clearAlertsOfClient: 'provider_alert_reference',
  dismissAlertsOfClient: 'provider_alert_reference',
  readAlertOfClient: 'provider_alert_reference',
  confirmReceipts: 'payload_reference',
  readSnippets: 'payload_reference',
  markConversations: 'payload_reference',
  markPayloads: 'payload_reference',
  sendCommands: 'device_reference',
  deactivateDevices: 'device_reference',
  enrolUsers: 'device_user_reference',
  changeDeviceUsers: 'device_user_reference',
  reviewDeviceUserChanges: 'device_user_reference',
  // The marks of the targets have the references of their payloads.
  withdrawMarks: 'payload_reference',
  restorePayloads: 'payload_reference',
  readData: 'payload_reference',
  readDataArchive: 'payload_reference',
  readThumbnails: 'payload_reference',
  readPayloadPlaces: 'payload_reference',
}

/** Parameters that are no targets. */
const FIXED: Readonly<Record<string, string>> = {
  export_id: '01JD5X3V8Q2M4N6P7R9S0T1V2W',
  part: '1',
  thread_id: '7',
  delivery_reference: DELIVERY_REFERENCE,
  session_id: SESSION_ID,
  target_type: 'DeviceUser',
  telemetry_id: TELEMETRY_ID,
  approval_status: 'pending',
  scope: 'Daily',
  subject: 'devices',
  token: 'no-such-token',
}

/** Every call of the endpoint table against every target it can have. Throws for a row that it does not know how to call. */
export function everyCall(): Call[] {
  return (Object.entries(api) as [EndpointName, Endpoint][]).flatMap(([name, endpoint]) => {
    const aim = getAim(name, endpoint)
    return TARGETS.flatMap((target): Call[] => {
      const reference = aim === undefined ? undefined : REFERENCES[aim]?.[target]
      const isOtherClient = aim === undefined && target === 'other client' && endpoint.portal !== 'device'
      const isMissingClient = aim === undefined && target === 'missing' && endpoint.portal === 'internal'
      if (
        aim === undefined ? target !== 'own' && !isOtherClient && !isMissingClient : reference === undefined
      )
        return []
      if (
        isOtherClient &&
        !('client' in (endpoint.params?.def.shape ?? {})) &&
        endpoint.portal === 'internal'
      )
        return []
      if (isMissingClient && !('client' in (endpoint.params?.def.shape ?? {}))) return []
      // Only the provider's calls name the client of their target.
      const client =
        isOtherClient || (endpoint.portal === 'internal' && target === 'other client')
          ? 'globex'
          : isMissingClient
            ? 'unknown'
            : 'acme'
      const path = fullPath(endpoint).replace(/\{(\w+)\}/g, (_, key: string) => {
        const value = key === 'client' ? client : (FIXED[key] ?? reference)
        if (value === undefined) throw new Error(`the matrix has no value for {${key}} of ${name}`)
        return encodeURIComponent(value)
      })
      const query = new URLSearchParams()
      if (endpoint.portal === 'client') query.set('client', client)
      if (name === 'countPayloads') query.set('filters[0][service]', 'calls')
      if (['readData', 'readDataArchive', 'readThumbnails', 'readPayloadPlaces'].includes(name))
        query.set('payload_references[0]', reference ?? '')
      if (['closeComment', 'releaseLegalHold', 'releaseMatterPerson', 'closeLegalMatter'].includes(name))
        query.set('reason', 'Matrix')
      if (name === 'deleteMigrationFile') query.set('filename', 'media/matrix.txt')
      if (name === 'suggestPayloads') query.set('search', 'unknown')
      if (name === 'readTransferSchedule') query.set('schedule', 'rate(1 day)')
      // No checkpoint has this size: rights alone decide.
      if (name === 'proveConsistency') query.set('former', '0')
      if (name === 'readAccessReport') {
        query.set('from', '2026-01-01')
        query.set('to', '2026-01-02')
      }
      if (name === 'readContacts') query.set('number', '+440000000000')
      const body = BODIES[name]?.(reference ?? '')
      if (endpoint.body && body === undefined) throw new Error(`the matrix has no body for ${name}`)
      return [
        {
          name,
          method: endpoint.method,
          target,
          url: query.size > 0 ? `${path}?${query}` : path,
          body,
          changes:
            endpoint.method !== 'GET' &&
            endpoint.portal !== 'device' &&
            !path.includes('/review') &&
            !READS_BY_POST.has(name),
        },
      ]
    })
  })
}

function getAim(name: EndpointName, endpoint: Endpoint): string | undefined {
  const named = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const aims = named.filter((key) => key !== 'client' && !(key in FIXED))
  for (const aim of aims) {
    if (!(aim in REFERENCES)) throw new Error(`the matrix has no targets for {${aim}} of ${name}`)
  }
  return AIMED_BY[name] ?? aims[0]
}
