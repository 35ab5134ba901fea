import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'

/** Counted entities, by their names in the specification (section 3). */
export const ENTITY_WORDS: Words<string> = {
  Alert: msg`Alerts`,
  AlertSubscription: msg`Alert e-mail subscriptions`,
  AlertWebhook: msg`Webhooks`,
  CaptureGap: msg`Capture gaps`,
  ClientApp: msg`Apps`,
  DataRequest: msg`Data subject requests`,
  Destruction: msg`Destruction lists`,
  Device: msg`Devices`,
  DeviceUser: msg`Device users`,
  Enrolment: msg`Enrolments`,
  GpsPoint: msg`Positions`,
  Group: msg`Groups`,
  LegalHold: msg`Legal holds`,
  LegalMatter: msg`Legal matters`,
  Migration: msg`Migrations`,
  Payload: msg`Recordings`,
  PortalUser: msg`People with a session`,
  Proposal: msg`Approvals`,
  RetentionPolicy: msg`Retention policy versions`,
  Role: msg`Roles`,
  SupportAccessRequest: msg`Support access requests`,
  Tag: msg`Tags`,
  TransferConfig: msg`Transfer configurations`,
}
