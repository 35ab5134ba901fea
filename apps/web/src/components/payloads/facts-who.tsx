import type { Direction, Party, Payload, PayloadMeta } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { UserLink } from '../devices/links.tsx'
import { Fact, Facts } from '../facts.tsx'
import { visible } from '../../ui/visible.ts'
import { partyText } from './party-text.ts'

/** Parties shown before all are asked for. */
const SHORT = 5

export function WhoFacts({ payload, meta }: { payload: Payload; meta: PayloadMeta | undefined }) {
  const { t } = useLingui()
  const parties = allParties(payload, meta)
  return (
    <Facts title={t`Who`} isPart>
      <Fact label={t`User`}>
        {payload.device_user_reference && (
          <UserLink device_user_reference={payload.device_user_reference}>
            {visible(payload.device_user_reference)}
          </UserLink>
        )}
      </Fact>
      <Fact label={t`Group`}>{payload.group}</Fact>
      <Fact label={t`Parties`}>{parties.length > 0 && <Parties parties={parties} />}</Fact>
      <Fact label={t`Notes`}>{payload.notes}</Fact>
    </Facts>
  )
}

/** All second parties of the metadata; without it, the first few of the row. */
function allParties(payload: Payload, meta: PayloadMeta | undefined): readonly Party[] {
  if (meta !== undefined && 'second_parties' in meta) return meta.second_parties
  if (meta !== undefined && 'message_parties' in meta) return meta.message_parties
  return payload.parties ?? []
}

function Parties({ parties }: { parties: readonly Party[] }) {
  const { i18n } = useLingui()
  const [all, setAll] = useState(false)
  return (
    <>
      {(all ? parties : parties.slice(0, SHORT)).map((party, index) => (
        // The same number may take part twice.
        <div key={index}>
          {partyText(party, i18n)}
          <Text span size="xs" c="dimmed" display="block" className="tabular">
            {party.contact_name && party.phone_number ? `${visible(party.phone_number)} · ` : ''}
            <DirectionWord direction={party.direction} />
          </Text>
        </div>
      ))}
      {parties.length > SHORT && (
        <Button size="compact-xs" variant="subtle" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? <Trans>Show fewer</Trans> : <Trans>Show all {parties.length}</Trans>}
        </Button>
      )}
    </>
  )
}

function DirectionWord({ direction }: { direction: Direction | undefined }) {
  if (direction === 'I') return <Trans>incoming</Trans>
  if (direction === 'O') return <Trans>outgoing</Trans>
  if (direction === 'CC') return <Trans>in copy</Trans>
  return null
}
