import type { EntityType, RelatedEntity } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Anchor } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { portalPath } from './portal-path.ts'

const ENTITY_WORDS = {
  Device: msg`Device`,
  DeviceUser: msg`Device user`,
  Migration: msg`Migration`,
  Payload: msg`Recording`,
  PortalUser: msg`Portal user`,
  SupportAccessRequest: msg`Support access request`,
  Transfer: msg`Transfer`,
} as const satisfies Record<EntityType, unknown>

/** What an alert concerns, and the way to its page where it has one. */
export function RelatedLink({ entity }: { entity: RelatedEntity }) {
  const { i18n } = useLingui()
  const router = useRouter()
  const { entity_id, entity_type, entity_subtype, page_link } = entity
  const kind = [i18n._(ENTITY_WORDS[entity_type]), entity_subtype].filter(Boolean).join(' · ')
  const path = portalPath(page_link)
  return (
    <>
      {kind}:{' '}
      {path === undefined ? (
        entity_id
      ) : (
        <Anchor
          underline="always"
          href={path}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return
            event.preventDefault()
            void router.navigate({ href: path })
          }}
        >
          {entity_id}
        </Anchor>
      )}
    </>
  )
}
