import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Fact, Facts } from '../../components/facts.tsx'
import { RETENTION_BLOCK_WORDS } from '../../components/words/retention-block-words.ts'
import { Time } from '../../ui/time.tsx'

/** Due date by the account's policy, and what prevents deletion. */
export default function RetentionFacts({ payload: { retention } }: { payload: Payload }) {
  const { t, i18n } = useLingui()
  if (retention === undefined) return null
  const { delete_at = null, destroy_at = null, set_by = null, blocked_by = [] } = retention ?? {}
  return (
    <Facts title={t`Retention`} isPart>
      <Fact label={t({ context: 'retention', message: 'Kept' })}>
        {retention === null && <Trans>Indefinitely: no policy applies</Trans>}
      </Fact>
      <Fact label={t`Due for deletion`}>{delete_at !== null && <Time at={delete_at} />}</Fact>
      <Fact label={t`Due for destruction`}>{destroy_at !== null && <Time at={destroy_at} />}</Fact>
      <Fact label={t`Reason`}>
        {set_by === 'minimum' ? (
          <Trans>legal period, longer than the policy</Trans>
        ) : (
          set_by === 'rule' && <Trans>the account’s policy</Trans>
        )}
      </Fact>
      <Fact label={t`Retained for now`}>
        {blocked_by.map((block) => i18n._(RETENTION_BLOCK_WORDS[block])).join(', ')}
      </Fact>
    </Facts>
  )
}
