import type { Direction, Party, Payload, PayloadMeta } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { UserLink } from '../../components/devices/links.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { MarkedText } from '../../components/marked-text.tsx'
import { GroupName } from '../../components/names.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { ownerText } from './owner-text.ts'
import { partyText } from './party-text.ts'

let isOpen = false
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Whether the contacts panel is open: the user's choice applies to later recordings. Kept in memory only, so that a
 * loaded page sends no extra request.
 */
const useContactsOpen = () => useSyncExternalStore(subscribe, () => isOpen)

function setContactsOpen(open: boolean): void {
  isOpen = open
  for (const listener of listeners) listener()
}

// Loads on demand.
const Contacts = lazy(() => withTexts('lazy', import('./contacts.tsx')))

/** Parties shown at first. */
const SHORT = 5

export function WhoFacts({ payload, meta }: { payload: Payload; meta: PayloadMeta | undefined }) {
  const { t } = useLingui()
  const parties = allParties(payload, meta)
  return (
    <Facts title={t`Who`} isPart>
      <Fact label={t`User`}>
        {payload.device_user_reference && (
          <UserLink device_user_reference={payload.device_user_reference}>
            <span title={visible(payload.device_user_reference)}>{ownerText(payload)}</span>
          </UserLink>
        )}
      </Fact>
      <Fact label={t`Group`}>
        <GroupName group={payload.group} />
      </Fact>
      <Fact label={t`Parties`}>
        {parties.length > 0 && <Parties key={payload.payload_reference} parties={parties} />}
      </Fact>
      <Fact label={t`Notes`}>{payload.notes && <MarkedText text={payload.notes} />}</Fact>
    </Facts>
  )
}

/** All second parties of the metadata; without it, the first ones of the row. */
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
        // The same number may occur twice.
        <div key={index}>
          {partyText(party, i18n)}
          <Text span size="xs" c="dimmed" display="block" className="tabular">
            {party.contact_name && party.phone_number ? `${visible(party.phone_number)} · ` : ''}
            <DirectionWord direction={party.direction} />
          </Text>
          {party.phone_number && <OtherHolders number={party.phone_number} />}
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

/** Contacts of a number, on demand. */
function OtherHolders({ number }: { number: string }) {
  const isOpen = useContactsOpen()
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        maw="100%"
        px={0}
        mih={24}
        h="auto"
        styles={{ label: { lineHeight: 1.3, whiteSpace: 'normal', textAlign: 'start' } }}
        aria-expanded={isOpen}
        rightSection={<Icon name={isOpen ? 'minus' : 'plus'} size={12} />}
        onClick={() => setContactsOpen(!isOpen)}
      >
        <Trans>Other recordings of this number</Trans>
      </Button>
      {isOpen && (
        <Suspense fallback={<Skeleton h={20} />}>
          <Contacts number={number} />
        </Suspense>
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
