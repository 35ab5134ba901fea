import type { RequestKind, RequestLaw, RequestRecord, RequestState, RequestSubject } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'

export const KIND_WORDS: Words<RequestKind> = {
  Access: msg({ context: 'request of a person', message: 'Access to data' }),
  Copy: msg({ context: 'request of a person', message: 'Copy of their data' }),
  Erasure: msg({ context: 'request of a person', message: 'Erasure' }),
  ClientCopy: msg({ context: 'request of a person', message: 'Copy of a customer’s recordings' }),
}

export const LAW_WORDS: Words<RequestLaw> = {
  GDPR: msg`GDPR, articles 15, 17 and 20`,
  LGPD: msg`LGPD, articles 18 and 19`,
  'MiFID II': msg`MiFID II, article 16(7)`,
}

/** Types of data subjects. */
export const SUBJECT_WORDS: Words<RequestSubject> = {
  DeviceUser: msg`Device user`,
  PortalUser: msg`Portal user`,
  Number: msg({ context: 'request of a person', message: 'Phone number' }),
}

export const STATE_WORDS: Words<RequestState> = {
  Open: msg({ context: 'request of a person', message: 'Open' }),
  Answered: msg({ context: 'request of a person', message: 'Answered' }),
  Refused: msg({ context: 'request of a person', message: 'Refused' }),
  Withdrawn: msg({ context: 'request of a person', message: 'Withdrawn' }),
}

export const RECORD_WORDS: Words<RequestRecord> = {
  Logs: msg({ context: 'records of a person', message: 'Logs of phones' }),
  Positions: msg({ context: 'records of a person', message: 'Positions' }),
  Telemetry: msg({ context: 'records of a person', message: 'Telemetry' }),
  Commands: msg({ context: 'records of a person', message: 'Commands to phones' }),
  DeviceActivities: msg({ context: 'records of a person', message: 'Activity of phones' }),
  Activities: msg({ context: 'records of a person', message: 'Activity in the portal' }),
  Sessions: msg({ context: 'records of a person', message: 'Sessions' }),
  Acceptances: msg({ context: 'records of a person', message: 'Acceptances of the terms' }),
  SupportRequests: msg({ context: 'records of a person', message: 'Support access requests' }),
  Comments: msg({ context: 'records of a person', message: 'Comments on recordings' }),
  Marks: msg({ context: 'records of a person', message: 'Review marks on recordings' }),
  Plays: msg({ context: 'records of a person', message: 'Recordings played, and which parts' }),
  Receipts: msg({ context: 'records of a person', message: 'Confirmations of recordings' }),
}
