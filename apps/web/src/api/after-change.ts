import type { Api } from '@custodia/contract'
import { type CallName, keyOf } from './call-keys.ts'
import { queryClient } from './query-client.ts'

/** Calls of the portal that may change data. */
type Change = {
  [Name in keyof Api]: Api[Name]['method'] extends 'GET'
    ? never
    : Api[Name]['portal'] extends 'device'
      ? never
      : Name
}[keyof Api]

const ACCESS = ['readPersonAccess', 'listPayloadAccess', 'readAccessReport'] as const
/** A change of rights may affect the signed-in user, hence the profile. */
const RIGHTS = ['listGroups', 'listRoles', 'listTags', 'readProfile', ...ACCESS] as const
const PEOPLE = ['listPeople', 'readPerson', ...ACCESS] as const
const COMMENTS = ['listComments', 'listCommentsOfPayload', 'listCommentVersions', 'readPayloadAudit'] as const
const PAYLOADS = [
  'countPayloads',
  'listPayloads',
  'listPayloadsOfDevice',
  'listPayloadsOfUser',
  'readContacts',
  'readPayload',
  'readPayloadAudit',
  'searchPayloads',
] as const
const APPS = ['listClientApps', 'readClientApp'] as const
const DEVICES = ['listDevices', 'readDevice', 'listDevicesOfUser', 'readDashboard', 'readLicenses'] as const
const COMMANDS = ['listCommands', 'listCommandsOfDevice'] as const
const ENROLMENTS = ['listEnrolments', 'readEnrolment'] as const
const DEVICE_USERS = ['listDeviceUsers', 'readDeviceUser', 'readUserQueue', 'listGroups', ...DEVICES] as const
const HOLDS = [
  'listLegalHolds',
  'readLegalHold',
  'listDeviceUsers',
  'readDeviceUser',
  'listDevices',
  'readDevice',
  'listPayloads',
  'readPayload',
] as const
const MATTERS = ['listLegalMatters', 'readLegalMatter', 'listMatterPeople', ...HOLDS] as const
const PROPOSALS = ['listProposals', 'readProposal', 'readTwoPeople'] as const
const REQUESTS = ['listDataRequests', 'readDataRequest'] as const
const DESTRUCTIONS = ['listDestructions', 'readDestruction', 'listDestructionItems'] as const
const WEBHOOKS = ['listAlertWebhooks', 'listAlertDeliveries'] as const
const RECERTIFICATIONS = ['listRecertifications', 'readRecertification', 'listRecertifiedPeople'] as const
const SUBSCRIPTION = ['readAlertSubscription'] as const
const ALERTS = ['listAlerts', 'readAlert', 'readAlertSummary'] as const
const MARKS = ['listMarks', 'readPayloadAudit', 'countPayloads', 'countReviews', ...ALERTS] as const
const ALERTS_OF_CLIENTS = ['listAlertsOfClients', 'readAlertOfClient', ...ALERTS] as const
const REQUESTS_TO_CLIENTS = [
  'listSupportAccessByState',
  'listSupportAccessOfClient',
  'readSupportAccessOfClient',
  'readSupportSessionOfClient',
] as const

/** Answers that each change makes stale. A record that is open for editing is absent here: it must not change during the edit. */
const STALE: Readonly<Record<Change, readonly CallName[]>> = {
  saveGroup: RIGHTS,
  deleteGroup: RIGHTS,
  saveRole: RIGHTS,
  deleteRole: RIGHTS,
  saveTag: RIGHTS,
  deleteTag: RIGHTS,
  saveAccountDefaults: RIGHTS,
  endPersonSession: PEOPLE,
  savePersonRoles: [...PEOPLE, 'readProfile', ...PROPOSALS, ...ALERTS],
  reviewPersonRoles: [],
  saveClaimMapping: ['readClaimMapping', ...PEOPLE, ...PROPOSALS, ...ALERTS],
  deactivateDevice: DEVICES,
  deactivateDevices: DEVICES,
  blockDevice: DEVICES,
  unblockDevice: DEVICES,
  confirmDeviceHolder: DEVICES,
  decideDeviceHolders: DEVICES,
  deleteDevice: ['listDevices', 'listDevicesOfUser', 'readDashboard', 'readLicenses'],
  sendCommand: COMMANDS,
  sendCommands: COMMANDS,
  createEnrolment: ENROLMENTS,
  createEnrolmentOfUser: ENROLMENTS,
  enrolUsers: ENROLMENTS,
  changeDeviceUsers: DEVICE_USERS,
  revokeEnrolment: ENROLMENTS,
  // From a page without lists.
  openEnrolment: [],
  importDeviceUsers: DEVICE_USERS,
  createDeviceUser: DEVICE_USERS,
  updateDeviceUser: DEVICE_USERS,
  deleteDeviceUser: ['listDeviceUsers', 'listDevices', 'listGroups', 'readDashboard', 'readLicenses'],
  createClientApp: APPS,
  updateClientApp: APPS,
  deleteClientApp: APPS,
  reviewRetention: [],
  saveRetention: ['listRetentionVersions', ...PROPOSALS],
  confirmProposal: [
    'listTransferConfigs',
    'readTransferConfig',
    ...MATTERS,
    ...PROPOSALS,
    'listRetentionVersions',
    'readRetentionForecast',
    'readDestructionReview',
    'listDestructions',
    'readClaimMapping',
    ...PEOPLE,
    ...ALERTS,
  ],
  rejectProposal: [...PROPOSALS, ...ALERTS],
  withdrawProposal: [...PROPOSALS, ...ALERTS],
  saveDestructionReview: ['readDestructionReview', ...PROPOSALS, ...ALERTS],
  changeDestruction: DESTRUCTIONS,
  releaseDestruction: [...DESTRUCTIONS, ...ALERTS],
  saveTwoPeople: [...PROPOSALS, ...ALERTS],
  pauseRetention: ['readRetentionExecution'],
  setLegalHold: HOLDS,
  releaseLegalHold: [...HOLDS, ...PROPOSALS],
  openLegalMatter: ['listLegalMatters'],
  holdMatterPeople: MATTERS,
  holdMatterRecordings: [...MATTERS, ...PAYLOADS],
  releaseMatterPerson: [...MATTERS, ...PROPOSALS],
  openDataRequest: ['listDataRequests'],
  copyDataRequest: ['readDataRequest', 'listExports'],
  closeDataRequest: [...REQUESTS, ...ALERTS],
  closeLegalMatter: [...MATTERS, ...PROPOSALS],
  clearAlerts: ALERTS,
  dismissAlerts: ALERTS,
  createTransferConfig: ['listTransferConfigs', ...PROPOSALS],
  updateTransferConfig: ['listTransferConfigs', 'readTransferConfig', ...PROPOSALS],
  reviewTransferConfig: [],
  deleteTransferConfig: ['listTransferConfigs'],
  runTransferConfig: ['listTransfers', 'listTransferConfigs'],
  testTransferTarget: [],
  uploadMigrationFile: ['listMigrationFiles'],
  deleteMigrationFile: ['listMigrationFiles'],
  createMigration: ['listMigrations'],
  retryMigration: ['listMigrations'],
  signMigration: ['listMigrations', 'readMigration', 'readMigrationSignOff'],
  saveMigrationSettings: [],
  runTransfer: ['listTransfers', 'readTransfer', 'listTransferItems'],
  saveAlertSubscription: SUBSCRIPTION,
  deleteAlertSubscription: SUBSCRIPTION,
  testAlertSubscription: SUBSCRIPTION,
  checkAlertAddress: SUBSCRIPTION,
  confirmAlertAddress: SUBSCRIPTION,
  createAlertWebhook: WEBHOOKS,
  updateAlertWebhook: WEBHOOKS,
  deleteAlertWebhook: ['listAlertWebhooks'],
  testAlertWebhook: WEBHOOKS,
  resendAlertDelivery: WEBHOOKS,
  startRecertification: ['listRecertifications'],
  decideRecertification: [...RECERTIFICATIONS, ...PEOPLE, ...PROPOSALS],
  endRecertification: [...RECERTIFICATIONS, ...ALERTS],
  decideSupportAccess: ['listSupportAccess', 'readSupportAccess', 'readSupportSession'],
  addComment: COMMENTS,
  updateComment: COMMENTS,
  closeComment: COMMENTS,
  confirmReceipts: PAYLOADS,
  abandonPayload: PAYLOADS,
  restorePayload: PAYLOADS,
  // Lists keep their rows during a review; each row takes over its mark.
  addMark: MARKS,
  markConversations: MARKS,
  markPayloads: MARKS,
  withdrawMarks: MARKS,
  decideMark: MARKS,
  saveReviewSettings: ['readReviewSettings'],
  // The page already shows the answer of the call.
  savePlayhead: [],
  reportPlay: [],
  restorePayloads: PAYLOADS,
  clearAlertsOfClient: ALERTS_OF_CLIENTS,
  dismissAlertsOfClient: ALERTS_OF_CLIENTS,
  notifyClients: ALERTS_OF_CLIENTS,
  requestSupportAccess: REQUESTS_TO_CLIENTS,
  cancelSupportAccess: REQUESTS_TO_CLIENTS,
  createClient: ['listClients', 'listLicenses'],
  suspendClient: ['listClients'],
  resumeClient: ['listClients'],
  proposeClientDeletion: ['listClients'],
  confirmClientDeletion: ['listClients'],
  withdrawClientDeletion: ['listClients'],
  saveClientIdentity: ['listClients'],
  secondClientIdentity: ['listClients'],
  withdrawClientIdentity: ['listClients'],
  saveLicenses: ['listLicenses', 'readLicenses'],
  // The caller navigates away and reloads the profile or clears the cache.
  acceptTerms: [],
  noteExport: ['readPayloadAudit'],
  createExport: ['listExports'],
  deleteExport: ['listExports'],
  startSupportMode: [],
  endSupportMode: [],
  signOut: [],
  // These calls validate and change nothing.
  readSnippets: [],
  searchComments: [],
  searchPayloads: [],
  reviewAccountDefaults: [],
  reviewClaimMapping: [],
  previewClaims: [],
  previewClaimsOfClient: [],
  reviewClientApp: [],
  reviewDeviceHolders: [],
  reviewDeviceUserImport: [],
  reviewDeviceUserChanges: [],
  reviewGroup: [],
  reviewRole: [],
  reviewTag: [],
  testClientAppToken: [],
  verify: [],
}

/** Refetches the answers that a successful call made stale. */
export function callSucceeded(call: string): void {
  for (const stale of STALE[call as Change] ?? []) readAgain(stale)
}

/** Refetches the answers of a call; with `question` only that one. */
export const readAgain = (call: CallName, ...asked: readonly unknown[]): void =>
  void queryClient.invalidateQueries({ queryKey: keyOf(call, ...asked) })
