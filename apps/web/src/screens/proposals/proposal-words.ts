import type { ProposalKind, ProposalState, ProposedAct } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { changedWord } from '../retention/retention-words.ts'

export const PROPOSAL_STATE_WORDS: Words<ProposalState> = {
  waiting: msg({ context: 'state of a proposal', message: 'Pending' }),
  confirmed: msg({ context: 'state of a proposal', message: 'Confirmed' }),
  rejected: msg({ context: 'state of a proposal', message: 'Rejected' }),
  withdrawn: msg({ context: 'state of a proposal', message: 'Withdrawn' }),
  superseded: msg({ context: 'state of a proposal', message: 'Out of date' }),
  expired: msg({ context: 'state of a proposal', message: 'Expired' }),
}

export const PROPOSAL_KIND_WORDS: Words<ProposalKind> = {
  ReleaseHold: msg`Legal hold release`,
  ReleaseMatterPerson: msg`Removal from a legal matter`,
  CloseMatter: msg`Legal matter closure`,
  ShortenRetention: msg`Shorter retention`,
  SaveTransferConfig: msg`Configuration of transfers`,
  StopDestructionReview: msg`Release requirement removed`,
  RequireTwoPeople: msg`Dual control`,
  ChangeIdentityProvider: msg`Identity provider change`,
  AssignRoles: msg`Role assignment`,
}

/** The proposed action as a sentence. */
export function actText(i18n: I18n, act: ProposedAct): string {
  const who = 'target' in act ? visible(act.target_name ?? act.target) : ''
  const name = 'name' in act ? visible(act.name) : ''
  switch (act.kind) {
    case 'ReleaseHold':
      return i18n._(msg`Release the legal hold of ${who}`)
    case 'ReleaseMatterPerson':
      return i18n._(msg`Remove ${who} from the matter ${name}`)
    case 'CloseMatter':
      return i18n._(msg`Close the matter ${name} and release its people`)
    case 'ShortenRetention': {
      const what = act.shortened.map((subject) => changedWord(i18n, subject)).join(', ')
      return i18n._(msg`Shorten the retention: ${what}`)
    }
    case 'SaveTransferConfig': {
      const config = visible(act.transfer_config_reference)
      return i18n._(msg`Transfer by the configuration ${config}`)
    }
    case 'StopDestructionReview':
      return i18n._(msg`Remove the release requirement before destruction`)
    case 'RequireTwoPeople':
      return act.is_required ? i18n._(msg`Require dual control`) : i18n._(msg`Remove dual control`)
    case 'ChangeIdentityProvider': {
      if (act.claim_mapping && act.issuer === act.former_issuer)
        return act.claim_mapping.roles_from === 'portal'
          ? i18n._(msg`Assign roles in the portal`)
          : i18n._(msg`Change the claim mapping`)
      const issuer = act.issuer === null ? '' : visible(act.issuer)
      return act.issuer === null
        ? i18n._(msg`Sign in at the installation’s identity provider`)
        : i18n._(msg`Sign in at ${issuer}`)
    }
    case 'AssignRoles': {
      const person = authorName(act, 'user_reference')
      return i18n._(msg`Assign roles to ${person}`)
    }
  }
}
