import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Anchor, Group, Text } from '@mantine/core'
import { Link, useNavigate, useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useSingleKeys } from '../../ui/use-single-keys.ts'
import { detailOf, listOf, type ScreenService, SERVICES } from './services.ts'
import { placeInQueue } from './review-queue.ts'
import { Hint } from '../../ui/hint.tsx'

/** The way back to the list, and to its neighbours (keys p and n). */
export function QueueButtons({ reference, service }: { reference: string; service: ScreenService }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const place = placeInQueue(reference)
  const { position, loaded } = place ?? {}
  const go = (payload_reference: string | undefined) => {
    if (payload_reference !== undefined) void navigate(detailOf(service, payload_reference))
  }
  useSingleKeys({ n: () => go(place?.next), p: () => go(place?.previous) })
  return (
    <Group gap="sm" mb="xs" justify="space-between">
      <BackToList service={service} listUrl={place?.listUrl} />
      {place !== undefined && (
        <Group gap={4} wrap="nowrap">
          <Text size="sm" c="dimmed" className="tabular" mr={4}>
            <Trans>
              {position} of {loaded} loaded
            </Trans>
          </Text>
          {(
            [
              { to: place.previous, label: t`Previous (P)`, icon: 'chevron-left' },
              { to: place.next, label: t`Next (N)`, icon: 'chevron-right' },
            ] as const
          ).map(({ to, label, icon }) => (
            <Hint key={icon} label={label}>
              <ActionIcon
                size={32}
                variant="default"
                aria-label={label}
                disabled={to === undefined}
                onClick={() => go(to)}
              >
                <Icon name={icon} size={16} />
              </ActionIcon>
            </Hint>
          ))}
        </Group>
      )}
    </Group>
  )
}

function BackToList({ service, listUrl }: { service: ScreenService; listUrl: string | undefined }) {
  const { i18n } = useLingui()
  const router = useRouter()
  const content = (
    <Group component="span" gap={4} wrap="nowrap">
      <Icon name="arrow-left" size={16} />
      {i18n._(SERVICES[service].title)}
    </Group>
  )
  if (listUrl === undefined)
    return <Anchor renderRoot={(props) => <Link {...props} {...listOf(service, {})} />}>{content}</Anchor>
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    // The address of the list as it stood, with filters and language prefix.
    router.history.push(listUrl)
  }
  return (
    <Anchor href={listUrl} onClick={onClick}>
      {content}
    </Anchor>
  )
}
