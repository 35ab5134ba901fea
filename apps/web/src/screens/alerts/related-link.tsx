import type { PayloadType, RelatedEntity, RelatedType } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Anchor } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { portalPath } from './portal-path.ts'

const ENTITY_WORDS = {
  DataRequest: msg`Data subject request`,
  Destruction: msg`Items due for destruction`,
  Device: msg`Device`,
  DeviceUser: msg`Device user`,
  Migration: msg`Migration`,
  Payload: msg`Recording`,
  PortalUser: msg`Portal user`,
  Proposal: msg`Proposal that waits`,
  Retention: msg`Retention`,
  SupportAccessRequest: msg`Support access request`,
  Transfer: msg`Transfer`,
} as const satisfies Record<RelatedType, unknown>

const NUMBERED: readonly RelatedType[] = [
  'DataRequest',
  'Destruction',
  'Payload',
  'Proposal',
  'Retention',
  'SupportAccessRequest',
]

/** Subject of an alert, with a link to its page. */
export function RelatedLink({ entity }: { entity: RelatedEntity }) {
  const { i18n } = useLingui()
  const router = useRouter()
  const { entity_id, entity_type, entity_subtype, page_link } = entity
  const subtype =
    entity_type === 'Payload' && entity_subtype !== undefined && entity_subtype in PAYLOAD_TYPE_WORDS
      ? i18n._(PAYLOAD_TYPE_WORDS[entity_subtype as PayloadType])
      : entity_subtype
  const kind = [i18n._(ENTITY_WORDS[entity_type]), subtype].filter(Boolean).join(' · ')
  const path = portalPath(page_link)
  if (path === undefined)
    return (
      <>
        {kind}: {entity_id}
      </>
    )
  // A bare number follows the link's label.
  const isNumbered = NUMBERED.includes(entity_type)
  return (
    <>
      {!isNumbered && `${kind}: `}
      <Anchor
        underline="always"
        href={path}
        title={entity_id}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          void router.navigate({ href: path })
        }}
      >
        {isNumbered ? kind : entity_id}
      </Anchor>
    </>
  )
}
