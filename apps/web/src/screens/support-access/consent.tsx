import type { SupportSession } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Fact, Facts } from '../../components/facts.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { nounWord } from '../../components/words/permission-words.tsx'
import { Time } from '../../ui/time.tsx'
import { changedNouns, readNouns } from './consent-nouns.ts'

/** What support mode permits, in five lines. */
export function Consent(props: {
  session: Pick<SupportSession, 'actions' | 'payload_types'>
  /** Epoch seconds. */
  until: number
  /** The title is a heading of the page. */
  isPart?: boolean
}) {
  const { t, i18n } = useLingui()
  const { actions, payload_types } = props.session
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  const named = (nouns: readonly string[]) =>
    nouns.length === 0 ? t`Nothing` : list.format(nouns.map(nounWord))
  const types = list.format(payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])))
  const isPlayed = actions.includes('payloads:play')
  return (
    <Facts title={t`What this access allows`} isPart={props.isPart ?? false}>
      <Fact label={t`Can read`}>{named(readNouns(actions))}</Fact>
      <Fact label={t`Can hear recordings and read messages`}>
        {isPlayed ? <Trans>Yes: {types}</Trans> : <Trans>No</Trans>}
      </Fact>
      <Fact label={t`Can change`}>{named(changedNouns(actions))}</Fact>
      <Fact label={t`Cannot`}>
        <Trans>
          Export, transfer or delete recordings, send commands, or change roles, retention and holds
        </Trans>
      </Fact>
      <Fact label={t`Until`}>
        <Time at={props.until} />
      </Fact>
    </Facts>
  )
}
